// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Reads the asynchronous events of a device. Called infrequently, because failed work requests
 * report errors sooner. Used by the conductor's thread only.
 */
final class AsyncEvents {
    private static final int MAX_EVENTS_PER_LOOK = 16;

    private final Ibverbs ibverbs;
    private final Device device;
    private final MemorySegment event =
            Arena.ofAuto().allocate(VerbsAbi.AsyncEvent.SIZE, Long.BYTES);

    /** Handles events. */
    interface Handler {
        void on(DeviceEvent event, Device device);
    }

    AsyncEvents(Ibverbs ibverbs, Device device) {
        this.ibverbs = ibverbs;
        this.device = device;
        Posix.setNonBlocking(Memory.getInt(device.context() + VerbsAbi.Context.ASYNC_FD));
        passOverThePast();
    }

    /**
     * Discards earlier events. librdmacm keeps a device open until the process exits, so events
     * accumulate while no fabric reads them. They do not concern future connections.
     */
    private void passOverThePast() {
        long address = event.address();
        while (ibverbs.getAsyncEvent(device.context(), address) == 0) {
            ibverbs.ackAsyncEvent(address);
        }
    }

    /**
     * Reads pending events.
     *
     * @param handler handler to call with each relevant event. The object that the event refers to
     *     is not destroyed, and its address not reused, until the handler returns.
     * @return the number of relevant events.
     */
    int read(Handler handler) {
        long address = event.address();
        int count = 0;
        for (int i = 0; i < MAX_EVENTS_PER_LOOK; i++) {
            if (ibverbs.getAsyncEvent(device.context(), address) != 0) {
                return count + onNone(handler);
            }
            int type = Memory.getInt(address + VerbsAbi.AsyncEvent.TYPE);
            DeviceEvent event = event(type, Memory.getLong(address + VerbsAbi.AsyncEvent.ELEMENT));
            if (event != null) {
                handler.on(event, device);
                count++;
            }
            ibverbs.ackAsyncEvent(address);
        }
        return count;
    }

    private int onNone(Handler handler) {
        if (NativeFunction.errno() == Errno.EAGAIN) {
            return 0;
        }
        handler.on(
                new DeviceEvent(
                        Kind.FATAL,
                        device.name()
                                + " no longer delivers events: "
                                + Errno.describe(NativeFunction.errno()),
                        0,
                        0),
                device);
        return 1;
    }

    private DeviceEvent event(int type, long element) {
        String text = "the RDMA device " + device.name() + " reports: " + ibverbs.eventText(type);
        return switch (type) {
            case VerbsAbi.IBV_EVENT_DEVICE_FATAL -> new DeviceEvent(Kind.FATAL, text, 0, 0);
            case VerbsAbi.IBV_EVENT_PORT_ERR -> new DeviceEvent(Kind.ERROR, text, (int) element, 0);
            case VerbsAbi.IBV_EVENT_CQ_ERR,
                    VerbsAbi.IBV_EVENT_QP_FATAL,
                    VerbsAbi.IBV_EVENT_QP_REQ_ERR,
                    VerbsAbi.IBV_EVENT_QP_ACCESS_ERR ->
                    new DeviceEvent(Kind.ERROR, text, 0, element);
            case VerbsAbi.IBV_EVENT_COMM_EST -> new DeviceEvent(Kind.DATA_CAME, text, 0, element);
            case VerbsAbi.IBV_EVENT_GID_CHANGE ->
                    notice(
                            (int) element,
                            "its addresses (GIDs) have changed: connections that use a removed "
                                    + "address stall, and end when a probe times out");
            case VerbsAbi.IBV_EVENT_PKEY_CHANGE ->
                    notice(
                            (int) element,
                            "its partitions have changed: connections in a removed partition "
                                    + "stall, and end when a probe times out");
            case VerbsAbi.IBV_EVENT_LID_CHANGE ->
                    notice(
                            (int) element,
                            "the subnet manager has assigned it another LID: connections "
                                    + "stall, and are re-established when a probe times out");
            case VerbsAbi.IBV_EVENT_SM_CHANGE, VerbsAbi.IBV_EVENT_CLIENT_REREGISTER ->
                    notice(
                            (int) element,
                            "the subnet manager was replaced or has restarted: paths may have "
                                    + "changed");
            default -> null;
        };
    }

    private DeviceEvent notice(int port, String words) {
        return new DeviceEvent(
                Kind.NOTICE,
                "WARN: the RDMA device "
                        + device.name()
                        + " reports for port "
                        + port
                        + ": "
                        + words,
                port,
                0);
    }

    /** Effect of an event on connections. */
    enum Kind {
        /** The whole device has failed. */
        FATAL,

        /** The affected connections end. */
        ERROR,

        /** Data has arrived before the handshake was complete. */
        DATA_CAME,

        /** Ends no connection, but explains why connections may be lost later. */
        NOTICE
    }

    /**
     * A device event.
     *
     * @param kind kind of the event.
     * @param text description of the event.
     * @param port affected port of the device, or 0 for all.
     * @param queue address of the affected queue pair or completion queue, or 0 for all.
     */
    record DeviceEvent(Kind kind, String text, int port, long queue) {}
}
