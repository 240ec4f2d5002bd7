// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.DemoException;
import io.verbus.perf.process.ChildProgram;

/** Programs of the cluster demo's processes, besides separate drivers. */
enum ClusterProgram implements ChildProgram {
    /** Runs a member. */
    MEMBER {
        @Override
        public void run(String[] args) throws InterruptedException {
            NodeProcess.run(args);
        }
    },

    /** Sends the orders. */
    CLIENT {
        @Override
        public void run(String[] args) throws DemoException, InterruptedException {
            OrderSender.run(args);
        }
    }
}
