// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.aeron;

import io.aeron.exceptions.AeronException;
import io.verbus.perf.demo.SubscriberProcess;

/** Subscriber process that uses Aeron's client. */
public final class AeronSubscriber {
    private AeronSubscriber() {}

    /**
     * @param args arguments of {@link SubscriberProcess#run}.
     */
    public static void main(String[] args) {
        try {
            SubscriberProcess.run(args, AeronClient::new);
        } catch (AeronException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
