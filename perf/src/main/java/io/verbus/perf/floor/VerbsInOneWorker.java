// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Worker;

/** Worker process for measuring verbs alone, with one work request per message. */
public final class VerbsInOneWorker {
    private VerbsInOneWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, (work, role, directory) -> new VerbsFloor(work, false));
    }
}
