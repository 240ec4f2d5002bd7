// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.TransportType;

import org.agrona.ErrorHandler;

import java.lang.foreign.Arena;

/**
 * The resources of a queue pair: the queue pair itself, a completion queue for each direction, the
 * work request memory and the registered receive slots. Used during set-up, on a thread that may
 * block.
 */
final class QueuePairResources implements AutoCloseable {
    private static final int SEND_COMPLETIONS = 16;
    private static final int RECEIVE_COMPLETIONS = 1;
    private static final int GATHER = 2;
    private static final int CACHE_LINE = 64;
    private static final int PAGE = 4096;

    /**
     * Length in bytes of the longest write that must be inline: a grant of credit. The word that
     * commits a batch is shorter.
     */
    private static final int INLINE_IN_USE = 16;

    /** Code of the InfiniBand specification for 0.64 ms. */
    private static final byte MIN_RNR_TIMER = 12;

    private final ConnectionManager manager;
    private final long id;
    private final ProtectionDomain domain;
    private final ErrorHandler errors;
    private final Arena arena = Arena.ofShared();
    private CompletionQueue sendCompletions;
    private CompletionQueue receiveCompletions;
    private MemoryRegion slots;
    private MemoryRegion headers;
    private boolean isCreated;
    private VerbsQueuePair queuePair;

    // Set at creation, before any other thread accesses this object.
    private long queuePairAddress;
    private long sendCompletionsAddress;
    private long receiveCompletionsAddress;

    private QueuePairResources(
            ConnectionManager manager, long id, ProtectionDomain domain, ErrorHandler errors) {
        this.manager = manager;
        this.id = id;
        this.domain = domain;
        this.errors = errors;
    }

    /**
     * Creates the queue pair for an id and posts its receives.
     *
     * @param isInitiator whether this side connects, and therefore sends first.
     * @param errors handler to notify of failures to release resources.
     * @throws VerbsException if the device rejects a call; everything created before it is
     *     released.
     */
    static QueuePairResources create(
            Ibverbs ibverbs,
            ConnectionManager manager,
            long id,
            Device device,
            ProtectionDomain domain,
            ConnectionOptions options,
            boolean isInitiator,
            ErrorHandler errors) {
        check(device, options);
        QueuePairResources resources = new QueuePairResources(manager, id, domain, errors);
        try {
            resources.create(ibverbs, device, options, isInitiator);
            return resources;
        } catch (RuntimeException refused) {
            resources.close();
            throw refused;
        }
    }

    VerbsQueuePair queuePair() {
        return queuePair;
    }

    /**
     * Returns whether an address is that of the queue pair or one of its completion queues.
     * Thread-safe.
     */
    boolean uses(long queue) {
        return queuePairAddress == queue
                || sendCompletionsAddress == queue
                || receiveCompletionsAddress == queue;
    }

    /**
     * Makes a peer retry after 0.64 ms if its message finds no posted receive. rdma_cm leaves the
     * value at 0, which means 655 ms (InfiniBand specification, table 45), and the peer's whole
     * queue stops during that time, including its writes. The value may be changed while the queue
     * pair is in use.
     */
    void shortenWait(Ibverbs ibverbs) {
        try (Arena call = Arena.ofConfined()) {
            long attr = call.allocate(VerbsAbi.QpAttr.SIZE, Long.BYTES).address();
            long init = call.allocate(VerbsAbi.QpInitAttr.SIZE, Long.BYTES).address();
            long qp = Memory.getLong(id + VerbsAbi.CmId.QP);
            Memory.putByte(attr + VerbsAbi.QpAttr.MIN_RNR_TIMER, MIN_RNR_TIMER);
            int error = ibverbs.modifyQp(qp, attr, VerbsAbi.IBV_QP_MIN_RNR_TIMER);
            // If the peer has disconnected or the device is gone, the end of the connection reports
            // that.
            if (error != 0 && error != Errno.EIO && isReady(ibverbs, qp, attr, init)) {
                errors.onError(
                        VerbsException.of(
                                "ibv_modify_qp",
                                error,
                                "cannot shorten the time that peers wait when no receive is posted"
                                        + " for their message, which is 655 ms",
                                "raise rdma.receive-depth to avoid this"));
            }
        }
    }

    private static boolean isReady(Ibverbs ibverbs, long qp, long attr, long init) {
        return ibverbs.queryQp(qp, attr, VerbsAbi.IBV_QP_STATE, init) != 0
                || Memory.getInt(attr + VerbsAbi.QpAttr.STATE) == VerbsAbi.IBV_QPS_RTS;
    }

    /**
     * Destroys the queue pair first, so that the peer can no longer write or send. Then frees
     * everything else, except memory that the device fails to release. The id remains valid.
     */
    @Override
    public void close() {
        if (queuePair != null) {
            queuePair.end();
        }
        if (isCreated) {
            manager.destroyQueuePair(id);
            isCreated = false;
            domain.onQueuePairDestroyed();
        }
        if (sendCompletions != null) {
            sendCompletions.destroy(errors);
            sendCompletions = null;
        }
        if (receiveCompletions != null) {
            receiveCompletions.destroy(errors);
            receiveCompletions = null;
        }
        if (release(slots) & release(headers) && arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static boolean release(MemoryRegion region) {
        if (region != null) {
            region.close();
        }
        return region == null || region.isReleased();
    }

    private void create(
            Ibverbs ibverbs, Device device, ConnectionOptions options, boolean isInitiator) {
        sendCompletions = new CompletionQueue(ibverbs, device, options.sendDepth());
        receiveCompletions = new CompletionQueue(ibverbs, device, options.receiveDepth());
        boolean withHeaders = device.transport() == TransportType.IWARP;
        int slotLength = options.messageLength() + (withHeaders ? MessageWindow.HEADER_LENGTH : 0);
        long slotsLength = (long) options.receiveDepth() * slotLength;
        long buffer = arena.allocate(slotsLength, PAGE).address();
        slots = domain.register(buffer, slotsLength, Access.LOCAL_WRITE);
        ConnectionManager.Granted granted =
                manager.createQueuePair(
                        id,
                        domain.address(),
                        sendCompletions.address(),
                        receiveCompletions.address(),
                        options,
                        GATHER);
        isCreated = true;
        domain.onQueuePairCreated();
        int depth = Math.min(options.sendDepth(), granted.sendDepth());
        tell(device, options, granted);
        long qp = Memory.getLong(id + VerbsAbi.CmId.QP);
        queuePairAddress = qp;
        sendCompletionsAddress = sendCompletions.address();
        receiveCompletionsAddress = receiveCompletions.address();
        boolean critical = device.postsAtOnce();
        ReceiveQueue receives =
                new ReceiveQueue(
                        device.postRecv(),
                        critical,
                        qp,
                        allocate(ReceiveQueue.memoryLength()),
                        buffer,
                        slots.localKey().value(),
                        slotLength);
        postAll(device, receives, options.receiveDepth());
        queuePair =
                new VerbsQueuePair(
                        Memory.getInt(qp + VerbsAbi.Qp.NUMBER),
                        device.maxMessage(manager.port(id)),
                        new SendQueue(
                                device.postSend(),
                                critical,
                                qp,
                                allocate(SendQueue.memoryLength(depth, granted.inline())),
                                depth,
                                granted.inline()),
                        receives,
                        completions(device, sendCompletions, SEND_COMPLETIONS),
                        completions(device, receiveCompletions, RECEIVE_COMPLETIONS),
                        new FailureText(ibverbs),
                        withHeaders ? window(options, isInitiator) : null);
    }

    /**
     * Reports, once per device, that the device has granted less than requested in a way that costs
     * performance.
     */
    private void tell(Device device, ConnectionOptions options, ConnectionManager.Granted granted) {
        boolean isShort =
                granted.sendDepth() < options.sendDepth()
                        || granted.inline() < Math.min(INLINE_IN_USE, options.maxInline());
        if (isShort && device.isUntold()) {
            errors.onError(
                    new VerbsException(
                            ("WARN: the RDMA device %s grants a queue pair %d work requests and %d"
                                 + " bytes inline instead of %d and %d: each write that is not"
                                 + " inline costs another PCIe read; try a lower rdma.send-depth")
                                    .formatted(
                                            device.name(),
                                            granted.sendDepth(),
                                            granted.inline(),
                                            options.sendDepth(),
                                            options.maxInline())));
        }
    }

    private MessageWindow window(ConnectionOptions options, boolean isInitiator) {
        long length = MessageWindow.memoryLength(options.sendDepth());
        long memory = arena.allocate(length, PAGE).address();
        headers = domain.register(memory, length, Access.LOCAL_READ);
        return new MessageWindow(
                memory,
                headers.localKey().value(),
                options.sendDepth(),
                options.receiveDepth(),
                isInitiator);
    }

    private Completions completions(Device device, CompletionQueue queue, int entries) {
        return new Completions(
                device.pollCq(),
                queue.address(),
                allocate(Completions.memoryLength(entries)),
                entries);
    }

    private long allocate(long length) {
        return arena.allocate(length, CACHE_LINE).address();
    }

    private static void postAll(Device device, ReceiveQueue receives, int depth) {
        for (int slot = 0; slot < depth; slot++) {
            int errno = receives.post(slot);
            if (errno != 0) {
                throw VerbsException.of(
                        "ibv_post_recv",
                        errno,
                        "the device "
                                + device.name()
                                + " accepted only "
                                + slot
                                + " of "
                                + depth
                                + " receives",
                        "");
            }
        }
    }

    private static void check(Device device, ConnectionOptions options) {
        range("rdma.send-depth", options.sendDepth(), 1, device.maxWorkRequests(), device);
        range("rdma.send-depth", options.sendDepth(), 1, device.maxCompletions(), device);
        int fewest = device.transport() == TransportType.IWARP ? MessageWindow.MIN_RECEIVES : 1;
        range(
                "rdma.receive-depth",
                options.receiveDepth(),
                fewest,
                device.maxWorkRequests(),
                device);
        range("rdma.receive-depth", options.receiveDepth(), 1, device.maxCompletions(), device);
        if (device.maxGather() < GATHER) {
            throw new VerbsException(
                    "the device "
                            + device.name()
                            + " supports at most "
                            + device.maxGather()
                            + " scatter-gather entries in a work request, but "
                            + GATHER
                            + " are needed: use another device");
        }
    }

    private static void range(String name, int value, int min, int max, Device device) {
        if (value < min || value > max) {
            throw new VerbsException(
                    "%s is %d, but the device %s allows only %d to %d"
                            .formatted(name, value, device.name(), min, max));
        }
    }
}
