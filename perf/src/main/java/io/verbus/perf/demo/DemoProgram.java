// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.perf.process.ChildProgram;

/** Programs of the demo's processes. */
public enum DemoProgram implements ChildProgram {
    /** Runs a Verbus driver. */
    DRIVER {
        @Override
        public void run(String[] args) throws InterruptedException {
            DemoDriver.run(args);
        }
    },

    /** Publishes, on any client. */
    PUBLISHER {
        @Override
        public void run(String[] args) throws DemoException, InterruptedException {
            PublisherProcess.run(args);
        }
    },

    /** Subscribes, on any client. */
    SUBSCRIBER {
        @Override
        public void run(String[] args) {
            SubscriberProcess.run(args);
        }
    }
}
