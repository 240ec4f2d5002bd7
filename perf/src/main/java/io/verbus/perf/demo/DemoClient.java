// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.perf.demo.aeron.AeronClient;
import io.verbus.perf.demo.verbus.VerbusClient;
import io.verbus.perf.process.AeronJars;
import io.verbus.perf.process.JavaProgram;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Client library of the demo's publisher and subscriber. Its display name is lower case. */
enum DemoClient {
    /** Verbus' client. */
    VERBUS {
        @Override
        JavaProgram process(DemoProgram program) {
            return JavaProgram.own(program);
        }

        @Override
        BusClient connect(String directory) {
            return new VerbusClient(directory);
        }
    },

    /** Aeron's client. Its processes load no classes of Verbus other than the demo's. */
    AERON {
        @Override
        JavaProgram process(DemoProgram program) {
            return JavaProgram.other(
                    program, AeronJars.classPath(DemoClient.class, QuoteEncoder.class));
        }

        @Override
        BusClient connect(String directory) {
            return new AeronClient(directory);
        }
    };

    /** Returns the process that runs a program on this client. */
    abstract JavaProgram process(DemoProgram program);

    /**
     * Connects to a driver.
     *
     * @param directory directory of the driver.
     */
    abstract BusClient connect(String directory);

    /** Returns the scheme of the client's channels. */
    String scheme() {
        return toString();
    }

    /** Returns the client with a display name. */
    static Optional<DemoClient> parse(String name) {
        return Stream.of(values()).filter(client -> client.toString().equals(name)).findAny();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
