// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.verbus.perf.load.Worker;

/** A process of a run on Aeron's archive: the archive, or the end that has streams recorded. */
public final class ArchiveWorker {
    private ArchiveWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        ServiceStack.bePatient();
        Worker.main(
                args,
                (work, role, directory) ->
                        new ArchiveStack(work, AeronStack.launch(work, directory), directory));
    }
}
