// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Worker;

/** Worker process for measuring verbs alone, with two work requests per message. */
public final class VerbsInTwoWorker {
    private VerbsInTwoWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, (work, role, directory) -> new VerbsFloor(work, true));
    }
}
