// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.verbus;

import io.verbus.BusException;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.PublisherProcess;

/** Publisher process that uses Verbus' client. */
public final class VerbusPublisher {
    private VerbusPublisher() {}

    /**
     * @param args arguments of {@link PublisherProcess#run}.
     */
    public static void main(String[] args) throws InterruptedException {
        try {
            PublisherProcess.run(args, VerbusClient::new);
        } catch (DemoException | BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
