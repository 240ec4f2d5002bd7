// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.process.ChildProgram;
import io.verbus.perf.process.ParentLink;
import io.verbus.samples.cluster.BackupNode;
import io.verbus.samples.cluster.ClusterMembers;
import io.verbus.samples.cluster.ClusterNode;

import java.nio.file.Path;
import java.util.List;

/** Program that runs a {@link BackupNode} and prints the progress of its copy. */
enum BackupProgram implements ChildProgram {
    /** The program. */
    BACKUP;

    /** Prefix of a line with the number of snapshots received. */
    static final String SNAPSHOTS = "snapshots ";

    /** Prefix of a line with the position up to which the log is copied. */
    static final String LOG = "log ";

    /**
     * @param args hosts and first port of the members, host and port of the backup, driver
     *     directory, directory for files.
     */
    @Override
    public void run(String[] args) throws InterruptedException {
        AeronPatience.set();
        ParentLink.open();
        BackupNode node =
                new BackupNode(
                        ClusterNode.driver(Path.of(args[4])).build(),
                        new ClusterMembers(List.of(args[0].split(",")), Integer.parseInt(args[1])),
                        args[2],
                        Integer.parseInt(args[3]),
                        Path.of(args[5]),
                        new BackupNode.Listener() {
                            @Override
                            public void onSnapshots(int count) {
                                System.out.println(SNAPSHOTS + count);
                            }

                            @Override
                            public void onLog(long position) {
                                System.out.println(LOG + position);
                            }
                        });
        Runtime.getRuntime().addShutdownHook(new Thread(node::close, "node-close"));
        Thread.currentThread().join(); // ends with this process's input
    }
}
