// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import io.verbus.perf.load.Worker;

/** A process of a run on Verbus. */
public final class VerbusWorker {
    private VerbusWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, VerbusStack::new, VerbusStack::launch);
    }
}
