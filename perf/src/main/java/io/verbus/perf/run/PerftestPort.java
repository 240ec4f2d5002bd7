// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.rdma.fabric.KernelFiles;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * RDMA port that has an IP address, in the form that perftest's options require.
 *
 * @param device name of the device.
 * @param gidIndex index of the GID derived from the address.
 */
record PerftestPort(String device, int gidIndex) {
    /**
     * Finds the port that has an address.
     *
     * @throws BusException if no device has the address.
     */
    static PerftestPort of(String address) {
        try {
            String gid = gid(InetAddress.getByName(address).getAddress());
            for (Path device : list(KernelFiles.DEVICES)) {
                PerftestPort port = find(device, gid);
                if (port != null) {
                    return port;
                }
            }
        } catch (IOException ex) {
            throw new BusException("cannot read " + KernelFiles.DEVICES + ": " + ex, ex);
        }
        throw new BusException(
                "no RDMA device has the address "
                        + address
                        + ": give the addresses of RDMA interfaces as --local and --remote");
    }

    private static PerftestPort find(Path device, String gid) throws IOException {
        Path port = device.resolve("ports/1");
        int found = -1;
        for (Path entry : list(port.resolve("gids"))) {
            int index = Integer.parseInt(entry.getFileName().toString());
            if (read(entry).equals(gid)) {
                Path type = port.resolve("gid_attrs/types/" + index);
                if (found < 0 || read(type).contains("v2")) {
                    found = index;
                }
            }
        }
        return found < 0 ? null : new PerftestPort(device.getFileName().toString(), found);
    }

    /** Formats a GID as in sysfs: eight groups of four digits. */
    private static String gid(byte[] address) {
        StringBuilder text = new StringBuilder();
        if (address.length == 4) {
            text.append("0000:0000:0000:0000:0000:ffff:");
        }
        for (int i = 0; i < address.length; i += 2) {
            text.append(String.format(Locale.ROOT, "%02x%02x", address[i], address[i + 1]));
            text.append(i + 2 < address.length ? ":" : "");
        }
        return text.toString();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /**
     * Reads a file; returns an empty string if the kernel refuses to read it, as it does for unset
     * GIDs.
     */
    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException ex) {
            return "";
        }
    }
}
