// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Worker;

/** Worker process for measuring the floor for shared memory. */
public final class FloorWorker {
    private FloorWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(args, (work, role, directory) -> new SharedMemoryFloor(work));
    }
}
