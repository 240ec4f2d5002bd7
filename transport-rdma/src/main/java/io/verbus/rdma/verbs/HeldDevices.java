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
 * The devices that connections use. Any thread.
 *
 * <p>A context belongs to librdmacm, which closes that of a removed device as soon as none of its
 * ids is bound to it, and the kernel brings a device that was reset back as a new one. Here an id
 * of its own holds each context while connections, registrations or domains of it are left: they
 * would otherwise be freed under a memory that is not mapped any more.
 *
 * @see <a href="https://github.com/linux-rdma/rdma-core/blob/master/librdmacm/cma.c">cma.c</a>
 */
final class HeldDevices {
    /**
     * The kernel tells siw's library where each queue lies among the device's mappings, and the
     * library takes one place that the kernel gives away, too, for "none": the queue that comes to
     * lie there, and each one after it, is destroyed as soon as it is made. A completion queue that
     * covers the place, made before all others, keeps them from it. It stays as long as the
     * process, as do siw's contexts, which all fabrics share.
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

    /** A device that is held. */
    static final class Held {
        private static final int OVER = -1;

        /** Connections and domains of it; {@link #OVER} when there will be none any more. */
        private final AtomicInteger uses = new AtomicInteger();

        /** Written by the thread that makes the device known, once. */
        private volatile Device device;

        private AsyncEvents events;
        private long holder;

        /** Written by the conductor. Read by the thread that makes the device known. */
        private volatile boolean isLost;

        Device device() {
            return device;
        }

        AsyncEvents events() {
            return events;
        }

        /** The device was removed. */
        void lost() {
            isLost = true;
            Device known = device;
            if (known != null) {
                known.lost();
            }
        }

        /** One more connection or domain; false if the device is let go of. */
        boolean retain() {
            return uses.updateAndGet(count -> count == OVER ? OVER : count + 1) != OVER;
        }

        /** A connection or domain is gone. */
        void release() {
            uses.decrementAndGet();
        }

        /** Whether the device is gone and nothing of it is left, nor will be. */
        boolean isOver() {
            return device.isGone() && uses.compareAndSet(0, OVER);
        }
    }

    HeldDevices(Ibverbs ibverbs, ConnectionManager manager) {
        this.ibverbs = ibverbs;
        this.manager = manager;
    }

    /**
     * The device behind a context, which is held from now on, and retained once.
     *
     * @param context of an id that is bound to a device.
     * @param localAddress of that id.
     * @throws VerbsException if the device is gone, or does not tell its attributes.
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
                                + " was replaced while a connection was made");
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

    /** Those that are held. */
    List<Held> all() {
        return all;
    }

    /** Forgets one that is over: the conductor reads no more events of it. */
    void forget(Held held) {
        all.remove(held);
    }

    /** Lets go of one that is forgotten. Waits for the device. */
    synchronized void release(Held held) {
        byContext.remove(held.device.context());
        manager.destroyId(held.holder);
    }

    /** Lets go of all; nothing of them may be left. */
    synchronized void releaseAll() {
        all.forEach(this::release);
        all.clear();
    }
}
