// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.aeron;

import io.aeron.exceptions.AeronException;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.PublisherProcess;

/** Publisher process that uses Aeron's client. */
public final class AeronPublisher {
    private AeronPublisher() {}

    /**
     * @param args arguments of {@link PublisherProcess#run}.
     */
    public static void main(String[] args) throws InterruptedException {
        try {
            PublisherProcess.run(args, AeronClient::new);
        } catch (DemoException | AeronException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
