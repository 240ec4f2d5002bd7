// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.attached;

import io.verbus.perf.aeron.ClusterStack;
import io.verbus.perf.load.Worker;
import io.verbus.perf.verbus.VerbusStack;

/** Worker process for measuring Aeron Cluster on an embedded Verbus driver. */
public final class AttachedClusterWorker {
    private AttachedClusterWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        ClusterStack.prepare();
        Worker.main(
                args,
                (work, role, directory) ->
                        new ClusterStack(
                                work, VerbusStack.launchForAeron(work, directory), directory));
    }
}
