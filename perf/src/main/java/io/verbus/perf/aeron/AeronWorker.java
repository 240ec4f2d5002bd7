// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.verbus.perf.load.Worker;

/** Worker process for measuring Aeron. */
public final class AeronWorker {
    private AeronWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(
                args,
                (work, role, directory) ->
                        new AeronStack(
                                work,
                                work.hasDriver(role) ? AeronStack.launch(work, directory) : null,
                                directory),
                AeronStack::launch);
    }
}
