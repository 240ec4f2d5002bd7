// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.driver.config.CpuAffinity;
import io.verbus.driver.config.DriverConfig.AgentConfig;

import org.agrona.concurrent.Agent;

import java.util.concurrent.CompletableFuture;

/** An agent whose thread is bound to a CPU before it begins; tells whether that succeeded. */
final class BoundAgent implements Agent {
    private final Agent agent;
    private final int cpu;

    /** Completed by the agent's thread; awaited by the launching thread. */
    private final CompletableFuture<Void> started = new CompletableFuture<>();

    BoundAgent(Agent agent, AgentConfig config) {
        this.agent = agent;
        this.cpu = config.cpu();
    }

    @Override
    public void onStart() {
        try {
            CpuAffinity.bind(agent.roleName(), cpu);
            agent.onStart();
            started.complete(null);
        } catch (RuntimeException e) {
            // The launching thread throws it, and closes all agents in their order.
            started.completeExceptionally(e);
        }
    }

    /** Waits until the agent has begun; throws what kept it from that. */
    void awaitStarted() {
        started.join();
    }

    @Override
    public int doWork() throws Exception {
        return agent.doWork();
    }

    @Override
    public void onClose() {
        agent.onClose();
    }

    @Override
    public String roleName() {
        return "verbus-" + agent.roleName();
    }
}
