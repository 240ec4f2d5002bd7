// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.verbus.perf.load.Worker;

/** Worker process for measuring Aeron Cluster: runs a member, or the client. */
public final class ClusterWorker {
    private ClusterWorker() {}

    /** Runs the worker; for the arguments see {@link Worker#main}. */
    public static void main(String[] args) {
        ServiceStack.bePatient();
        Worker.main(
                args,
                (work, role, directory) ->
                        new ClusterStack(work, AeronStack.launch(work, directory), directory));
    }
}
