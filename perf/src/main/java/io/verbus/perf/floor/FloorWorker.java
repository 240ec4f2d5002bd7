// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Worker;

/** A process of a run on the floor of shared memory. */
public final class FloorWorker {
    private FloorWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, (work, role, directory) -> new SharedMemoryFloor(work));
    }
}
