// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.verbus.perf.load.Worker;

/** Worker process that runs Aeron's C driver as its child, and nothing else. */
public final class AeronCWorker {
    /** System property: path of {@code aeronmd}. */
    public static final String PROGRAM_PROPERTY = "verbus.perf.aeronmd";

    private AeronCWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(
                args,
                (work, role, directory) -> {
                    throw new IllegalArgumentException(
                            "Aeron's C driver is a separate program that cannot be embedded:"
                                    + " omit --drivers");
                },
                AeronCDriver::launch);
    }
}
