// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.perf.run.AeronJars;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Whose client the demo's publisher and subscriber are. Named in lower case for people. */
enum DemoClient {
    /** Verbus'. */
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

    /** Aeron's, whose processes have no other class of Verbus than the demo's own. */
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

    /** The program that publishes. */
    abstract JavaProgram publisher();

    /** The program that subscribes. */
    abstract JavaProgram subscriber();

    /** The first word of its channels. */
    String scheme() {
        return toString();
    }

    /** The client of that name. */
    static Optional<DemoClient> parse(String name) {
        return Stream.of(values()).filter(client -> client.toString().equals(name)).findAny();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
