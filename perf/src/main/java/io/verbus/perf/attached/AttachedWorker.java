// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.attached;

import io.verbus.perf.aeron.AeronStack;
import io.verbus.perf.load.Worker;
import io.verbus.perf.verbus.VerbusStack;

/** Worker process for measuring Aeron's client on an embedded Verbus driver. */
public final class AttachedWorker {
    private AttachedWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        Worker.main(
                args,
                (work, role, directory) ->
                        new AeronStack(
                                work,
                                work.hasDriver(role) ? VerbusStack.launch(work, directory) : null,
                                directory),
                VerbusStack::launch);
    }
}
