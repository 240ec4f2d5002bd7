// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import io.verbus.ExclusivePublication;
import io.verbus.Subscription;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.perf.load.Reflector;

import org.agrona.concurrent.AgentInvoker;

/** The reflecting end on Verbus. */
final class VerbusReflector implements Reflector {
    private static final int FRAGMENT_LIMIT = 10;

    private final Subscription requests;
    private final AgentInvoker driver;
    private final AgentInvoker client;
    private final ControlledFragmentHandler onFragment;

    VerbusReflector(
            Subscription requests,
            ExclusivePublication replies,
            AgentInvoker driver,
            AgentInvoker client) {
        this.requests = requests;
        this.driver = driver;
        this.client = client;
        onFragment =
                (buffer, offset, length, header) ->
                        replies.offer(buffer, offset, length) > 0 ? Action.CONTINUE : Action.ABORT;
    }

    @Override
    public int poll() {
        if (driver != null) {
            driver.invoke();
            client.invoke();
        }
        return requests.controlledPoll(onFragment, FRAGMENT_LIMIT);
    }
}
