// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.attached;

import io.verbus.perf.aeron.ArchiveStack;
import io.verbus.perf.load.Worker;
import io.verbus.perf.verbus.VerbusStack;

/** Worker process for measuring Aeron Archive on an embedded Verbus driver. */
public final class AttachedArchiveWorker {
    private AttachedArchiveWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        ArchiveStack.prepare();
        Worker.main(
                args,
                (work, role, directory) ->
                        new ArchiveStack(
                                work, VerbusStack.launchForAeron(work, directory), directory));
    }
}
