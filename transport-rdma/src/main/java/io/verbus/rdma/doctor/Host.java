// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.KernelFiles;
import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.rdma.verbs.Devices;
import io.verbus.rdma.verbs.VerbsLibraries;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A host to examine: its files, and calls for other information.
 *
 * @param files files of the host.
 * @param calls calls to query the host.
 */
record Host(FileTree files, Calls calls) {
    /** Returns the host of this process. */
    static Host own() {
        return new Host(new FileTree(Path.of("/"), KernelFiles.DEVICES), new OwnCalls());
    }

    /** Calls to query a host. */
    interface Calls {
        /**
         * Loads libibverbs and librdmacm.
         *
         * @throws io.verbus.rdma.verbs.VerbsException if a library is missing; the message names
         *     it.
         */
        void loadLibraries();

        /**
         * Lists the RDMA devices that libibverbs shows.
         *
         * @throws io.verbus.rdma.verbs.VerbsException if they cannot be listed or opened.
         */
        List<DeviceInfo> devices();

        /** Returns the effect of a fork on memory that devices write. */
        VerbsLibraries.ForkSafety forkSafety();

        /** Returns the addresses of a network interface; empty if there is no such interface. */
        List<InetAddress> addresses(String networkInterface);

        /** Returns the value of an environment variable of this process; null if it is not set. */
        String variable(String name);

        /** Returns the space on the file system of a path; null if unknown. */
        Space space(String path);

        /** Waits between two samples of the counters. */
        void pause(Duration interval) throws InterruptedException;
    }

    /**
     * Space on a file system.
     *
     * @param total total bytes.
     * @param free usable bytes.
     */
    record Space(long total, long free) {}

    private static final class OwnCalls implements Calls {
        @Override
        public void loadLibraries() {
            VerbsLibraries.load();
        }

        @Override
        public List<DeviceInfo> devices() {
            return Devices.list();
        }

        @Override
        public VerbsLibraries.ForkSafety forkSafety() {
            return VerbsLibraries.forkSafety();
        }

        @Override
        public List<InetAddress> addresses(String networkInterface) {
            try {
                NetworkInterface found = NetworkInterface.getByName(networkInterface);
                return found == null ? List.of() : found.inetAddresses().toList();
            } catch (SocketException unknown) {
                return List.of();
            }
        }

        @Override
        public String variable(String name) {
            return System.getenv(name);
        }

        @Override
        public Space space(String path) {
            try {
                FileStore store = Files.getFileStore(Path.of(path));
                return new Space(store.getTotalSpace(), store.getUsableSpace());
            } catch (IOException unknown) {
                return null;
            }
        }

        @Override
        public void pause(Duration interval) throws InterruptedException {
            Thread.sleep(interval);
        }
    }
}
