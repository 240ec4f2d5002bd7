// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.attached;

import io.verbus.perf.aeron.ClusterStack;
import io.verbus.perf.load.Worker;
import io.verbus.perf.verbus.VerbusStack;

/** A process of a run on a cluster of Aeron's, which has Verbus' driver embedded. */
public final class AttachedClusterWorker {
    private AttachedClusterWorker() {}

    /** Runs it; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        ClusterStack.prepare();
        Worker.main(
                args,
                (work, role, directory) ->
                        new ClusterStack(
                                work, VerbusStack.launchForAeron(work, directory), directory));
    }
}
