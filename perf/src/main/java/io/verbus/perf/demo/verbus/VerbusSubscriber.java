// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.verbus;

import io.verbus.BusException;
import io.verbus.perf.demo.SubscriberProcess;

/** Subscriber process that uses Verbus' client. */
public final class VerbusSubscriber {
    private VerbusSubscriber() {}

    /**
     * @param args arguments of {@link SubscriberProcess#run}.
     */
    public static void main(String[] args) {
        try {
            SubscriberProcess.run(args, VerbusClient::new);
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
