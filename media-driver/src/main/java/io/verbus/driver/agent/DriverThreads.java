// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.BusException;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfig.AgentConfig;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * Runs the agents on as many threads as the threading mode says, or on none. They are stopped in
 * the order in which they were started, the conductor last, which then frees all.
 */
public final class DriverThreads implements AutoCloseable {
    private final ErrorHandler errors;
    private final List<BoundAgent> agents = new ArrayList<>();
    private final List<AgentRunner> runners = new ArrayList<>();
    private AgentInvoker invoker;

    public DriverThreads(
            DriverConfig config,
            Agent conductor,
            NetworkAgent sender,
            NetworkAgent receiver,
            ErrorHandler errors) {
        this.errors = errors;
        switch (config.threading()) {
            case DEDICATED -> {
                addNetwork(sender, config.sender());
                addNetwork(receiver, config.receiver());
                add(conductor, config.conductor());
            }
            case SHARED_NETWORK -> {
                addNetwork(new CompositeAgent(sender, receiver), config.sender());
                add(conductor, config.conductor());
            }
            case SHARED -> add(new CompositeAgent(sender, receiver, conductor), config.conductor());
            case INVOKER ->
                    invoker =
                            new AgentInvoker(
                                    errors,
                                    null,
                                    new InvokedAgents(
                                            sender,
                                            receiver,
                                            conductor,
                                            SystemNanoClock.INSTANCE,
                                            errors));
        }
    }

    private void addNetwork(Agent agent, AgentConfig config) {
        add(agent, config, config.idling().networkStrategy());
    }

    private void add(Agent agent, AgentConfig config) {
        add(agent, config, config.idling().strategy());
    }

    private void add(Agent agent, AgentConfig config, IdleStrategy idle) {
        BoundAgent bound = new BoundAgent(agent, config);
        agents.add(bound);
        runners.add(new AgentRunner(idle, errors, null, bound));
    }

    /**
     * Starts all.
     *
     * @throws BusException if a thread cannot be bound to its CPU; all are to be closed then.
     */
    public void start() {
        for (AgentRunner runner : runners) {
            // The runner names its thread by the agent's role.
            AgentRunner.startOnThread(runner);
        }
        for (BoundAgent agent : agents) {
            try {
                agent.awaitStarted();
            } catch (CompletionException e) {
                throw e.getCause() instanceof BusException cause ? cause : e;
            }
        }
        if (invoker != null) {
            invoker.start();
        }
    }

    /** Drives all agents, in the invoker's mode; otherwise null. */
    public AgentInvoker invoker() {
        return invoker;
    }

    @Override
    public void close() {
        for (AgentRunner runner : runners) {
            runner.close();
        }
        if (invoker != null) {
            invoker.close();
        }
    }
}
