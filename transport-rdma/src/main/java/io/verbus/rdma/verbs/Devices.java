// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.KernelFiles;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.TransportType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The RDMA devices of this host. */
public final class Devices {
    private Devices() {}

    /**
     * Lists the devices with all their properties.
     *
     * @return the devices, possibly none.
     * @throws VerbsException if the library is absent or a device cannot be opened.
     */
    public static List<DeviceInfo> list() {
        Ibverbs ibverbs = Ibverbs.open();
        List<DeviceInfo> devices = new ArrayList<>();
        long list = ibverbs.getDeviceList();
        if (list == 0) {
            return absentOrRefused();
        }
        try {
            for (long entry = list; Memory.getLong(entry) != 0; entry += Long.BYTES) {
                devices.add(describe(ibverbs, Memory.getLong(entry)));
            }
        } finally {
            ibverbs.freeDeviceList(list);
        }
        return List.copyOf(devices);
    }

    /** Lists the name and transport of each device without opening any. */
    static List<Listed> names(Ibverbs ibverbs) {
        List<Listed> names = new ArrayList<>();
        long list = ibverbs.getDeviceList();
        if (list == 0) {
            return absentOrRefused();
        }
        for (long entry = list; Memory.getLong(entry) != 0; entry += Long.BYTES) {
            long device = Memory.getLong(entry);
            names.add(new Listed(Device.name(device), Device.transport(device)));
        }
        ibverbs.freeDeviceList(list);
        return names;
    }

    /** Returns an empty list for ENOSYS from a kernel without RDMA; throws otherwise. */
    private static <T> List<T> absentOrRefused() {
        int errno = NativeFunction.errno();
        if (errno == Errno.ENOSYS) {
            return List.of();
        }
        throw VerbsException.of("ibv_get_device_list", errno, "cannot list the RDMA devices", "");
    }

    private static DeviceInfo describe(Ibverbs ibverbs, long address) {
        String name = Device.name(address);
        long context = ibverbs.openDevice(address);
        if (context == 0) {
            throw VerbsException.of(
                    "ibv_open_device",
                    NativeFunction.errno(),
                    "cannot open the RDMA device " + name,
                    "");
        }
        try (Arena arena = Arena.ofConfined()) {
            Device device = new Device(ibverbs, context);
            long attributes = arena.allocate(VerbsAbi.PortAttr.SIZE, Long.BYTES).address();
            List<DeviceInfo.Port> ports = new ArrayList<>();
            for (int port = 1; port <= device.ports(); port++) {
                device.queryPort(port, attributes);
                ports.add(describe(name, port, attributes));
            }
            return new DeviceInfo(
                    name,
                    device.transport(),
                    device.software(),
                    device.firmware(),
                    numaNode(name),
                    List.copyOf(ports));
        } finally {
            ibverbs.closeDevice(context);
        }
    }

    private static DeviceInfo.Port describe(String device, int port, long attributes) {
        return new DeviceInfo.Port(
                port,
                state(Memory.getInt(attributes + VerbsAbi.PortAttr.STATE)),
                linkLayer(Memory.getByte(attributes + VerbsAbi.PortAttr.LINK_LAYER)),
                mtu(Memory.getInt(attributes + VerbsAbi.PortAttr.ACTIVE_MTU)),
                mtu(Memory.getInt(attributes + VerbsAbi.PortAttr.MAX_MTU)),
                gids(folder(device, port)));
    }

    /** Reads an entry of a port's GID table; unset or unreadable fields are empty. */
    static DeviceInfo.Gid gid(String device, int port, int index) {
        return gid(folder(device, port), Integer.toString(index));
    }

    private static Path folder(String device, int port) {
        return KernelFiles.DEVICES.resolve(device).resolve("ports").resolve(Integer.toString(port));
    }

    private static DeviceInfo.Gid gid(Path port, String index) {
        return new DeviceInfo.Gid(
                Integer.parseInt(index),
                read(port.resolve("gids").resolve(index)),
                read(port.resolve("gid_attrs/types").resolve(index)),
                read(port.resolve("gid_attrs/ndevs").resolve(index)));
    }

    private static List<DeviceInfo.Gid> gids(Path port) {
        List<DeviceInfo.Gid> gids = new ArrayList<>();
        Path table = port.resolve("gids");
        if (!Files.isDirectory(table)) {
            return List.of();
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(table)) {
            for (Path entry : entries) {
                DeviceInfo.Gid gid = gid(port, entry.getFileName().toString());
                if (!gid.address().replaceAll("[0:]", "").isEmpty()) {
                    gids.add(gid);
                }
            }
        } catch (IOException unreadable) {
            throw new VerbsException("cannot read the GID table " + table, unreadable);
        }
        gids.sort(Comparator.comparingInt(DeviceInfo.Gid::index));
        return List.copyOf(gids);
    }

    private static int numaNode(String device) {
        String node = read(KernelFiles.DEVICES.resolve(device).resolve("device/numa_node"));
        return node.isEmpty() ? -1 : Integer.parseInt(node);
    }

    /**
     * Reads a sysfs attribute. Returns an empty string if the attribute is absent, or if it is an
     * unset entry (EINVAL).
     */
    private static String read(Path attribute) {
        try {
            return Files.readString(attribute).strip();
        } catch (IOException unset) {
            return "";
        }
    }

    private static String state(int state) {
        return switch (state) {
            case 0 -> "NOP";
            case 1 -> "DOWN";
            case 2 -> "INIT";
            case 3 -> "ARMED";
            case 4 -> "ACTIVE";
            case 5 -> "ACTIVE_DEFER";
            default -> "state " + state;
        };
    }

    /** Returns the name of a link layer. */
    static String linkLayer(int linkLayer) {
        return switch (linkLayer) {
            case 0, 1 -> PathAdvice.INFINIBAND;
            case 2 -> PathAdvice.ETHERNET;
            default -> "link layer " + linkLayer;
        };
    }

    /** Converts an {@code enum ibv_mtu} to bytes: 1 is 256, 5 is 4096. */
    static int mtu(int value) {
        return value < 1 || value > 5 ? 0 : 128 << value;
    }

    /**
     * A device that was listed but not opened.
     *
     * @param name device name, as {@code ibv_devices} prints it.
     * @param transport transport that its verbs use.
     */
    record Listed(String name, TransportType transport) {}
}
