// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;

import org.agrona.ErrorHandler;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A protection domain and the regions registered in it. Conductor's thread, but for registering and
 * deregistering.
 */
final class ProtectionDomain implements Domain {
    private final Ibverbs ibverbs;
    private final Device device;
    private final ErrorHandler errors;
    private final long address;

    /** Added to and removed from by any thread. */
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();

    private boolean closed;

    /**
     * @param errors is told what the device does not take back.
     */
    ProtectionDomain(Ibverbs ibverbs, Device device, ErrorHandler errors) {
        this.ibverbs = ibverbs;
        this.device = device;
        this.errors = errors;
        address = ibverbs.allocPd(device.context());
        if (address == 0) {
            throw VerbsException.of(
                    "ibv_alloc_pd",
                    NativeFunction.errno(),
                    "the device " + device.name() + " gives no protection domain",
                    "");
        }
    }

    @Override
    public String device() {
        return device.name();
    }

    @Override
    public MemoryRegion register(long start, long length, Access access) {
        if (closed) {
            throw new VerbsException(
                    "memory cannot be registered on " + device.name() + ": the domain is closed");
        }
        MemoryRegion region = MemoryRegion.register(ibverbs, this, start, length, access);
        regions.add(region);
        return region;
    }

    /** The {@code struct ibv_pd}. */
    long address() {
        return address;
    }

    /** Whether it can be used on a device. */
    boolean usableOn(long context) {
        return !isUnusable() && device.context() == context;
    }

    /** Whether it is closed, or its device is gone. */
    @Override
    public boolean isUnusable() {
        return closed || device.isGone();
    }

    boolean isOf(Device other) {
        return device == other;
    }

    boolean isDestroyed(int error) {
        return device.isDestroyed(error);
    }

    boolean isClosed() {
        return closed;
    }

    void onError(VerbsException refused) {
        errors.onError(refused);
    }

    void forget(MemoryRegion region) {
        regions.remove(region);
    }

    /** Closes it with the regions that are left or stayed, when the whole fabric goes. */
    void closeWithRegions() {
        for (MemoryRegion region : List.copyOf(regions)) {
            region.close();
        }
        close();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        int error = ibverbs.deallocPd(address);
        if (!device.isDestroyed(error)) {
            errors.onError(
                    VerbsException.of(
                            "ibv_dealloc_pd",
                            error,
                            "a protection domain on " + device.name() + " stays",
                            "a region or a queue pair of it stays, too"));
            return;
        }
        closed = true;
    }
}
