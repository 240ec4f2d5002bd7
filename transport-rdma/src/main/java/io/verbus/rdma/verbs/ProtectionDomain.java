// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.calls.Lane;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;

import org.agrona.ErrorHandler;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A protection domain and its registered regions. The domain is released once it has been closed
 * and no connection uses it. Created, used and released by threads that may block; closed by the
 * conductor.
 */
final class ProtectionDomain implements Domain {
    private final Ibverbs ibverbs;
    private final Device device;
    private final ErrorHandler errors;
    private final long address;

    /** Modified by any thread. */
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();

    /** Lane for registrations that belong to no connection. */
    private final Lane lane;

    private final Consumer<ProtectionDomain> onReleased;

    /**
     * Number of connections that use the domain, initially the one that creates it, plus one until
     * the domain is closed.
     */
    private final AtomicInteger uses = new AtomicInteger(2);

    /** Number of existing queue pairs. Written by threads that may block. Read by any thread. */
    private final AtomicInteger queuePairs = new AtomicInteger();

    /** Written by the conductor. Read by any thread. */
    private volatile boolean isLeft;

    /** Written by the thread that releases the domain. Read by any thread. */
    private volatile boolean closed;

    /**
     * @param lane lane for calls that belong to no connection.
     * @param onReleased called when the domain is released.
     * @param errors handler to notify of failures to release resources.
     */
    ProtectionDomain(
            Ibverbs ibverbs,
            Device device,
            Lane lane,
            Consumer<ProtectionDomain> onReleased,
            ErrorHandler errors) {
        this.onReleased = onReleased;
        this.ibverbs = ibverbs;
        this.device = device;
        this.lane = lane;
        this.errors = errors;
        address = ibverbs.allocPd(device.context());
        if (address == 0) {
            throw VerbsException.of(
                    "ibv_alloc_pd",
                    NativeFunction.errno(),
                    "the device " + device.name() + " cannot allocate a protection domain",
                    "");
        }
    }

    @Override
    public String device() {
        return device.name();
    }

    @Override
    public void call(Runnable work, Consumer<RuntimeException> then) {
        lane.call("a registration with " + device.name(), work, then);
    }

    @Override
    public MemoryRegion register(long start, long length, Access access) {
        if (closed) {
            throw new VerbsException(
                    "cannot register memory on "
                            + device.name()
                            + ": its protection domain is closed");
        }
        MemoryRegion region = MemoryRegion.register(ibverbs, this, start, length, access);
        regions.add(region);
        return region;
    }

    /** Returns the address of the {@code struct ibv_pd}. */
    long address() {
        return address;
    }

    /**
     * Retains the domain for a connection on a device. Returns false if the domain cannot be used
     * on that device.
     */
    boolean retainOn(long context) {
        return !isUnusable()
                && device.context() == context
                && uses.updateAndGet(count -> count == 0 ? 0 : count + 1) != 0;
    }

    /** Counts a queue pair that was created. */
    void onQueuePairCreated() {
        queuePairs.incrementAndGet();
    }

    /** Counts a queue pair that was destroyed. */
    void onQueuePairDestroyed() {
        queuePairs.decrementAndGet();
    }

    @Override
    public boolean isInUse() {
        return queuePairs.get() > 0;
    }

    /** Gives up one use of the domain; giving up the last use releases the domain. */
    void leave() {
        if (uses.decrementAndGet() == 0) {
            release();
        }
    }

    /** Returns whether the domain is closed, or its device is gone. */
    @Override
    public boolean isUnusable() {
        return isLeft || closed || device.isGone();
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

    /** Releases the domain and its remaining regions, when the fabric closes. */
    void releaseWithRegions() {
        for (MemoryRegion region : List.copyOf(regions)) {
            region.close();
        }
        release();
    }

    @Override
    public void close() {
        if (!isLeft) {
            isLeft = true;
            lane.call("ibv_dealloc_pd on " + device.name(), this::leave, this::onLeft);
        }
    }

    private void onLeft(RuntimeException failure) {
        if (failure != null) {
            errors.onError(failure);
        }
    }

    /** Releases the domain, which must be unused. */
    void release() {
        if (closed) {
            return;
        }
        int error = ibverbs.deallocPd(address);
        if (!device.isDestroyed(error)) {
            errors.onError(
                    VerbsException.of(
                            "ibv_dealloc_pd",
                            error,
                            "cannot deallocate a protection domain on " + device.name(),
                            "one of its regions or queue pairs was not released"));
            return;
        }
        closed = true;
        onReleased.accept(this);
    }
}
