// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoProgram;
import io.verbus.perf.demo.DriverErrors;
import io.verbus.perf.process.ChildProcess;
import io.verbus.perf.process.ChildProcesses;
import io.verbus.perf.process.JavaProgram;
import io.verbus.samples.cluster.MatchingEngine;

import org.agrona.IoUtil;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Processes of the cluster's members, and their reported state. Not thread-safe. */
final class Members {
    private static final int COUNT = ClusterPlan.MEMBERS;

    private final DemoNetwork network;
    private final ClusterPlan plan;
    private final ChildProcesses children;
    private final Path drivers;
    private final Path folder;
    private final boolean hasOwnDrivers;
    private final ChildProcess[] members = new ChildProcess[COUNT];
    private final ChildProcess[] driverProcesses = new ChildProcess[COUNT];
    private final MatchingEngine.State[] states = new MatchingEngine.State[COUNT];
    private final int[] snapshots = new int[COUNT];
    private final Set<ChildProcess> ending = new HashSet<>();
    private final Set<ChildProcess> ended = new HashSet<>();
    private int leader = -1;

    /**
     * @param drivers prefix of the driver directories.
     * @param folder directory for the members' files.
     * @param hasOwnDrivers whether drivers are separate processes.
     */
    Members(
            DemoNetwork network,
            ClusterPlan plan,
            ChildProcesses children,
            Path drivers,
            Path folder,
            boolean hasOwnDrivers) {
        this.network = network;
        this.plan = plan;
        this.children = children;
        this.drivers = drivers;
        this.folder = folder;
        this.hasOwnDrivers = hasOwnDrivers;
    }

    /** Returns the directory of a member's driver. */
    Path driver(int id) {
        return drivers.resolveSibling(drivers.getFileName().toString() + id);
    }

    /** Starts all members. */
    void start() throws DemoException {
        for (int id = 0; id < COUNT; id++) {
            start(id);
        }
    }

    /** Starts a member, and its driver if that is a separate process. */
    void start(int id) throws DemoException {
        if (hasOwnDrivers) {
            List<String> arguments = new ArrayList<>(List.of(driver(id).toString()));
            arguments.addAll(network.driverOptions(plan.members().hosts().get(id)));
            driverProcesses[id] =
                    children.start(
                            "driver of member " + id,
                            JavaProgram.withAeron(DemoProgram.DRIVER),
                            arguments);
        }
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                Integer.toString(id),
                                String.join(",", plan.members().hosts()),
                                Integer.toString(plan.members().firstPort()),
                                Long.toString(plan.leaderTimeoutNs()),
                                driver(id).toString(),
                                folder.resolve(Integer.toString(id)).toString(),
                                hasOwnDrivers ? NodeProcess.OWN_DRIVER : NodeProcess.EMBEDDED));
        arguments.addAll(network.driverOptions(plan.members().hosts().get(id)));
        if (id == leader) {
            leader = -1;
        }
        members[id] =
                children.start(
                        "member " + id, JavaProgram.withAeron(ClusterProgram.MEMBER), arguments);
    }

    /** Returns the id of the member that a process runs, or -1. */
    int idOf(ChildProcess process) {
        return List.of(members).indexOf(process);
    }

    /** Processes a line from a member; returns whether to show it to the user as well. */
    boolean take(int id, String line) {
        if (ending.contains(members[id])) {
            return true; // the member's last output
        }
        if (line.startsWith(NodeProcess.STATE)) {
            states[id] = BookState.parse(line.substring(NodeProcess.STATE.length()));
            return false;
        }
        if (line.equals(NodeProcess.ROLE + "LEADER")) {
            leader = id;
        } else if (line.startsWith(NodeProcess.ROLE) && id == leader) {
            leader = -1;
        } else if (line.startsWith(NodeProcess.SNAPSHOT)) {
            snapshots[id]++;
        }
        return true;
    }

    /** Records the exit of a process; returns whether it was expected. */
    boolean takeEnd(ChildProcess process) {
        ended.add(process);
        return ending.contains(process);
    }

    /** Returns the leader's id, or -1 if the leader failed and no other has been elected yet. */
    int leader() {
        return leader;
    }

    /** Asks the leader for a snapshot. */
    void takeSnapshot() {
        if (leader >= 0) {
            members[leader].go();
        }
    }

    /** Returns the smallest number of snapshots taken by any member. */
    int snapshots() {
        return Math.min(snapshots[0], Math.min(snapshots[1], snapshots[2]));
    }

    /** Injects a fault into a member. */
    void fail(int id, ClusterFault fault) throws DemoException, InterruptedException {
        ending.add(members[id]);
        switch (fault) {
            case LEADER, OUTAGE -> members[id].kill();
            case RESTART -> members[id].askToEnd();
            case DRIVER -> {
                ending.add(driverProcesses[id]);
                driverProcesses[id].kill();
            }
            case FOLLOWER -> {
                ending.remove(members[id]);
                members[id].stop(true);
            }
        }
        states[id] = null;
        if (id == leader) {
            leader = -1;
        }
    }

    /** Returns whether the process of a member has exited. */
    boolean hasEnded(int id) {
        return ended.contains(members[id]);
    }

    /** Resumes a suspended member. */
    void resume(int id) throws DemoException, InterruptedException {
        members[id].stop(false);
    }

    /**
     * Returns whether each member has reported at least the given number of orders since it last
     * failed.
     */
    boolean hold(long orders) {
        for (MatchingEngine.State state : states) {
            if (state == null || state.orders() < orders) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the books of all members equal the expected state. */
    boolean holdAll(MatchingEngine.State expected) {
        for (MatchingEngine.State state : states) {
            if (!expected.equals(state)) {
                return false;
            }
        }
        return true;
    }

    /** Prints the drivers' errors and the last reported state of each member. */
    void print(PrintStream out) {
        for (int id = 0; id < COUNT; id++) {
            DriverErrors.print("driver of member " + id, driver(id), out);
            out.println("member " + id + " last reported " + states[id]);
        }
    }

    /** Deletes the members' files. */
    void deleteFolders() {
        for (int id = 0; id < COUNT; id++) {
            IoUtil.delete(driver(id).toFile(), true);
        }
        IoUtil.delete(folder.toFile(), true);
    }
}
