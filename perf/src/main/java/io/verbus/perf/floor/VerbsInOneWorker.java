// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Worker;

/** A process of a run on verbs alone, a message in one work request. */
public final class VerbsInOneWorker {
    private VerbsInOneWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, (work, role, directory) -> new VerbsFloor(work, false));
    }
}
