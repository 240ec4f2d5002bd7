// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Worker;

/** A process of a run on verbs alone, a message in two work requests. */
public final class VerbsInTwoWorker {
    private VerbsInTwoWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, (work, role, directory) -> new VerbsFloor(work, true));
    }
}
