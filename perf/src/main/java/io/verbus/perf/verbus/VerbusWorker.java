// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import io.verbus.perf.load.Worker;

/** Worker process for measuring Verbus. */
public final class VerbusWorker {
    private VerbusWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, VerbusStack::new, VerbusStack::launch);
    }
}
