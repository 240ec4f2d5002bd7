// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import io.verbus.BusException;
import io.verbus.transport.DeviceWatch;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Publishes the state of each port of the host's RDMA devices as a counter, whether or not the
 * driver uses the port. The kernel's files are read periodically on the driver's background thread;
 * the conductor stores the results.
 */
final class DeviceStates implements DeviceWatch {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int GONE = 0;

    /** Maximum number of ports with a counter. */
    private static final int MAX_PORTS = 64;

    private record Port(String device, int number) {}

    private final TransportHost host;
    private final Path sysfs;
    private final Map<Port, AtomicCounter> counters = new HashMap<>();

    /** Used by the background thread while {@link #isLooking}, then by the conductor. */
    private final Map<Port, Integer> found = new HashMap<>();

    private final Runnable look = this::look;
    private final Consumer<RuntimeException> take = this::take;
    private long nextNs;
    private boolean isLooking;
    private String told = "";

    /**
     * @param host the driver.
     * @param sysfs directory of the kernel's files.
     * @param nowNs monotonic time.
     */
    DeviceStates(TransportHost host, Path sysfs, long nowNs) {
        this.host = host;
        this.sysfs = sysfs;
        nextNs = nowNs;
    }

    /** Reads the states again, if the interval has passed. */
    @Override
    public int work(long nowNs) {
        if (isLooking || nowNs - nextNs < 0) {
            return 0;
        }
        nextNs = nowNs + INTERVAL_NS;
        isLooking = true;
        host.background(look, take);
        return 1;
    }

    /** Reads the states, on the background thread. */
    private void look() {
        found.clear();
        if (!Files.isDirectory(sysfs)) {
            return;
        }
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(sysfs)) {
            for (Path device : devices) {
                look(device);
            }
        } catch (IOException e) {
            throw new TransportException("cannot list the RDMA devices in " + sysfs + ": " + e, e);
        }
    }

    private void look(Path device) {
        try (DirectoryStream<Path> ports = Files.newDirectoryStream(device.resolve("ports"))) {
            for (Path port : ports) {
                if (found.size() < MAX_PORTS) {
                    int number = Integer.parseInt(port.getFileName().toString());
                    int state = state(Files.readString(port.resolve("state")));
                    found.put(new Port(device.getFileName().toString(), number), state);
                }
            }
        } catch (IOException | NumberFormatException gone) {
            // The device was removed in the meantime, so it has no state.
        }
    }

    /** Parses the kernel's number and word, such as {@code 4: ACTIVE}. */
    private static int state(String text) {
        int colon = text.indexOf(':');
        return Integer.parseInt((colon < 0 ? text : text.substring(0, colon)).strip());
    }

    private void take(RuntimeException failure) {
        isLooking = false;
        try {
            if (failure != null) {
                throw failure;
            }
            found.forEach((port, state) -> counter(port).setRelease(state));
        } catch (BusException e) {
            if (!told.equals(e.getMessage())) {
                told = e.getMessage();
                host.onError(e);
            }
        }
        counters.forEach(
                (port, counter) -> {
                    if (!found.containsKey(port)) {
                        counter.setRelease(GONE);
                    }
                });
    }

    private AtomicCounter counter(Port port) {
        return counters.computeIfAbsent(
                port, absent -> host.deviceCounter(absent.device, absent.number));
    }

    @Override
    public void close() {
        counters.values().forEach(AtomicCounter::close);
        counters.clear();
    }
}
