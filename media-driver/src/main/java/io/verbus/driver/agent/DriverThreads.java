// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.BusException;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfig.AgentConfig;
import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.LogFaults;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs the agents on the threads that the threading mode requires, if any. They are stopped in the
 * order in which they were started; the conductor stops last and frees everything.
 */
public final class DriverThreads implements AutoCloseable {
    private final ErrorHandler errors;
    private final DriverFailure failure;
    private final LogFaults faults;
    private final List<AgentThread> threads = new ArrayList<>();
    private AgentInvoker invoker;

    /**
     * @param failure handler of errors that end the driver.
     * @param faults handler of faults in logs.
     */
    public DriverThreads(
            DriverConfig config,
            Agent conductor,
            NetworkAgent sender,
            NetworkAgent receiver,
            ErrorHandler errors,
            DriverFailure failure,
            LogFaults faults) {
        this.errors = errors;
        this.failure = failure;
        this.faults = faults;
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
            case INVOKER -> invoker = invoker(conductor, sender, receiver);
        }
    }

    private AgentInvoker invoker(Agent conductor, NetworkAgent sender, NetworkAgent receiver) {
        return new AgentInvoker(
                // An error thrown to the invoking thread has already been reported.
                thrown -> {
                    if (!(thrown instanceof Error)) {
                        errors.onError(thrown);
                    }
                },
                null,
                new InvokedAgents(
                        sender,
                        receiver,
                        conductor,
                        SystemNanoClock.INSTANCE,
                        errors,
                        failure,
                        faults));
    }

    private void addNetwork(Agent agent, AgentConfig config) {
        add(agent, config, config.idling().networkStrategy());
    }

    private void add(Agent agent, AgentConfig config) {
        add(agent, config, config.idling().strategy());
    }

    private void add(Agent agent, AgentConfig config, IdleStrategy idle) {
        threads.add(new AgentThread(agent, config, idle, errors, failure, faults));
    }

    /**
     * Starts all agents.
     *
     * @throws BusException if a thread cannot be bound to its CPU; the caller must then close all
     *     agents.
     */
    public void start() {
        threads.forEach(AgentThread::start);
        threads.forEach(AgentThread::awaitStarted);
        if (invoker != null) {
            invoker.start();
        }
    }

    /** Returns the invoker that drives all agents; null in the other threading modes. */
    public AgentInvoker invoker() {
        return invoker;
    }

    @Override
    public void close() {
        threads.forEach(AgentThread::close);
        if (invoker != null) {
            invoker.close();
        }
    }
}
