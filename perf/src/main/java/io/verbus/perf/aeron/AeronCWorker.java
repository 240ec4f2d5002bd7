// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.verbus.perf.load.Worker;

/** A process of a run that has Aeron's C driver as its child, and is no end. */
public final class AeronCWorker {
    /** System property: path of the program. */
    public static final String PROGRAM_PROPERTY = "verbus.perf.aeronmd";

    private AeronCWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(
                args,
                (work, role, directory) -> {
                    throw new IllegalArgumentException(
                            "Aeron's C driver is a program of its own, never in the process of an"
                                    + " end: leave --drivers out");
                },
                AeronCDriver::launch);
    }
}
