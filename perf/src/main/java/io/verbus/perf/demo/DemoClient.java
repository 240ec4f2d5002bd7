// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.perf.run.AeronJars;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Client library of the demo's publisher and subscriber. Its display name is lower case. */
enum DemoClient {
    /** Verbus' client. */
    VERBUS {
        @Override
        JavaProgram publisher() {
            return JavaProgram.own("io.verbus.perf.demo.verbus.VerbusPublisher");
        }

        @Override
        JavaProgram subscriber() {
            return JavaProgram.own("io.verbus.perf.demo.verbus.VerbusSubscriber");
        }
    },

    /** Aeron's client. Its processes load no classes of Verbus other than the demo's. */
    AERON {
        @Override
        JavaProgram publisher() {
            return program("io.verbus.perf.demo.aeron.AeronPublisher");
        }

        @Override
        JavaProgram subscriber() {
            return program("io.verbus.perf.demo.aeron.AeronSubscriber");
        }

        private JavaProgram program(String main) {
            return JavaProgram.other(
                    main, AeronJars.classPath(PublisherProcess.class, QuoteEncoder.class));
        }
    };

    /** Returns the program that publishes. */
    abstract JavaProgram publisher();

    /** Returns the program that subscribes. */
    abstract JavaProgram subscriber();

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
