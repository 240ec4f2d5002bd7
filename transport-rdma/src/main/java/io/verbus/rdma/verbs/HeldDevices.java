// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import org.agrona.collections.Long2ObjectHashMap;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The devices that connections use. Conductor's thread.
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
    private final Long2ObjectHashMap<Held> byContext = new Long2ObjectHashMap<>();
    private final List<Held> all = new ArrayList<>();

    /**
     * A device that is held.
     *
     * @param device that is.
     * @param events of it.
     * @param holder id that holds its context.
     */
    record Held(Device device, AsyncEvents events, long holder) {}

    HeldDevices(Ibverbs ibverbs, ConnectionManager manager) {
        this.ibverbs = ibverbs;
        this.manager = manager;
    }

    /**
     * The device behind a context, which is held from now on.
     *
     * @param context of an id that is bound to a device.
     * @param localAddress of that id.
     * @throws VerbsException if the device is gone, or does not tell its attributes.
     */
    Device of(long context, InetSocketAddress localAddress) {
        Held held = byContext.get(context);
        if (held == null) {
            held = hold(context, localAddress);
            byContext.put(context, held);
            all.add(held);
        }
        if (held.device.isGone()) {
            throw new VerbsException(
                    "the RDMA device " + held.device.name() + " was removed, or is being reset");
        }
        return held.device;
    }

    private Held hold(long context, InetSocketAddress localAddress) {
        long holder = manager.createId();
        try {
            manager.bind(holder, new InetSocketAddress(localAddress.getAddress(), 0));
            if (manager.context(holder) != context) {
                throw new VerbsException(
                        "the RDMA device at "
                                + SocketAddresses.text(localAddress)
                                + " was replaced while a connection was made");
            }
            Device device = new Device(ibverbs, context);
            coverPlaceOfSiw(device);
            return new Held(device, new AsyncEvents(ibverbs, device), holder);
        } catch (RuntimeException refused) {
            manager.destroyId(holder);
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

    /** The device that an id holds; null if it holds none. */
    Device heldBy(long id) {
        for (Held held : all) {
            if (held.holder == id) {
                return held.device;
            }
        }
        return null;
    }

    List<Held> all() {
        return all;
    }

    /** Lets go of those that are gone and of which nothing is left. */
    void releaseGone(Predicate<Device> isUsed) {
        for (int i = all.size() - 1; i >= 0; i--) {
            Held held = all.get(i);
            if (held.device.isGone() && !isUsed.test(held.device)) {
                release(held);
                all.remove(i);
            }
        }
    }

    private void release(Held held) {
        byContext.remove(held.device.context());
        manager.destroyId(held.holder);
    }

    /** Lets go of all; nothing of them may be left. */
    void releaseAll() {
        all.forEach(this::release);
        all.clear();
    }
}
