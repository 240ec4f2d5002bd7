// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.perf.load.Reflector;

import org.agrona.concurrent.AgentInvoker;

/** The reflecting end on Aeron. */
final class AeronReflector implements Reflector {
    private static final int FRAGMENT_LIMIT = 10;

    private final Subscription requests;
    private final AgentInvoker driver;
    private final AgentInvoker client;
    private final ControlledFragmentHandler onFragment;

    AeronReflector(
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
