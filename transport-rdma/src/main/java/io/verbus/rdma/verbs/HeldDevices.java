// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import org.agrona.collections.Long2ObjectHashMap;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The devices that connections use. Thread-safe.
 *
 * <p>librdmacm owns the contexts. It closes the context of a removed device as soon as no id is
 * bound to it, and a device that was reset returns as a new one. Therefore a dedicated id keeps
 * each context open while connections, registrations or domains use the context; otherwise freeing
 * them would access unmapped memory.
 *
 * @see <a href="https://github.com/linux-rdma/rdma-core/blob/master/librdmacm/cma.c">cma.c</a>
 */
final class HeldDevices {
    /**
     * Mapping key that siw's library interprets as "none" although the kernel also assigns it. The
     * queue that gets this key, and every queue after it, is destroyed as soon as it is created. To
     * prevent this, a completion queue that occupies the key is created before all others. It
     * exists until the process exits, like siw's contexts, which all fabrics share.
     *
     * @see <a
     *     href="https://github.com/linux-rdma/rdma-core/blob/master/kernel-headers/rdma/siw-abi.h">
     *     SIW_INVAL_UOBJ_KEY</a>
     */
    private static final int SIW_NO_PLACE = 0x90000;

    private static final int SIW_COMPLETION_LENGTH = 32;
    private static final Map<Long, CompletionQueue> SIW_COVERS = new HashMap<>();

    private final Ibverbs ibverbs;
    private final ConnectionManager manager;

    /** Guarded by this. */
    private final Long2ObjectHashMap<Held> byContext = new Long2ObjectHashMap<>();

    private final CopyOnWriteArrayList<Held> all = new CopyOnWriteArrayList<>();

    /** A held device. */
    static final class Held {
        private static final int OVER = -1;

        /**
         * Number of connections and domains that use the device; {@link #OVER} once none may be
         * added.
         */
        private final AtomicInteger uses = new AtomicInteger();

        /** Written once, by the thread that opens the device. */
        private volatile Device device;

        private AsyncEvents events;
        private long holder;

        /** Written by the conductor. Read by the thread that opens the device. */
        private volatile boolean isLost;

        Device device() {
            return device;
        }

        AsyncEvents events() {
            return events;
        }

        /** Marks the device removed. */
        void lost() {
            isLost = true;
            Device known = device;
            if (known != null) {
                known.lost();
            }
        }

        /** Adds a connection or domain; returns false if the device is being released. */
        boolean retain() {
            return uses.updateAndGet(count -> count == OVER ? OVER : count + 1) != OVER;
        }

        /** Removes a connection or domain. */
        void release() {
            uses.decrementAndGet();
        }

        /** Returns whether the device is gone and unused; prevents further use if so. */
        boolean isOver() {
            return device.isGone() && uses.compareAndSet(0, OVER);
        }
    }

    HeldDevices(Ibverbs ibverbs, ConnectionManager manager) {
        this.ibverbs = ibverbs;
        this.manager = manager;
    }

    /**
     * Returns the device of a context. Holds the device from now on, and retains it once for the
     * caller.
     *
     * @param context context of an id that is bound to a device.
     * @param localAddress local address of that id.
     * @throws VerbsException if the device is gone, or its attributes cannot be queried.
     */
    synchronized Held of(long context, InetSocketAddress localAddress) {
        Held held = byContext.get(context);
        if (held == null) {
            held = hold(context, localAddress);
            byContext.put(context, held);
            all.add(held);
        }
        if (held.device.isGone() || !held.retain()) {
            throw new VerbsException(
                    "the RDMA device " + held.device.name() + " was removed, or is being reset");
        }
        return held;
    }

    private Held hold(long context, InetSocketAddress localAddress) {
        Held held = new Held();
        held.holder = manager.createId(held);
        try {
            manager.bind(held.holder, new InetSocketAddress(localAddress.getAddress(), 0));
            if (manager.context(held.holder) != context) {
                throw new VerbsException(
                        "the RDMA device at "
                                + SocketAddresses.text(localAddress)
                                + " was replaced while a connection was being established");
            }
            Device device = new Device(ibverbs, context);
            coverPlaceOfSiw(device);
            held.events = new AsyncEvents(ibverbs, device);
            held.device = device;
            if (held.isLost) {
                device.lost();
            }
            return held;
        } catch (RuntimeException refused) {
            manager.destroyId(held.holder);
            throw refused;
        }
    }

    private void coverPlaceOfSiw(Device device) {
        if (device.isSiw()) {
            synchronized (SIW_COVERS) {
                SIW_COVERS.computeIfAbsent(
                        device.context(),
                        context ->
                                new CompletionQueue(
                                        ibverbs, device, SIW_NO_PLACE / SIW_COMPLETION_LENGTH + 1));
            }
        }
    }

    /** Returns all held devices. */
    List<Held> all() {
        return all;
    }

    /** Removes an unused device: the conductor no longer reads its events. */
    void forget(Held held) {
        all.remove(held);
    }

    /** Releases a removed device. May block on the device. */
    synchronized void release(Held held) {
        byContext.remove(held.device.context());
        manager.destroyId(held.holder);
    }

    /** Releases all devices, which must be unused. */
    synchronized void releaseAll() {
        all.forEach(this::release);
        all.clear();
    }
}
