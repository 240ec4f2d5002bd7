// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.verbus.perf.load.Worker;

/**
 * Worker process for measuring Aeron Archive: runs the archive, or the client whose streams are
 * recorded.
 */
public final class ArchiveWorker {
    private ArchiveWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        ServiceStack.bePatient();
        Worker.main(
                args,
                (work, role, directory) ->
                        new ArchiveStack(work, AeronStack.launch(work, directory), directory));
    }
}
