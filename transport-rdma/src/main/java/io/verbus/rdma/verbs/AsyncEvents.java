// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The events that a device reports of itself. Read seldom: work requests that fail tell sooner.
 * Conductor's thread only.
 */
final class AsyncEvents {
    private static final int MAX_EVENTS_PER_LOOK = 16;

    private final Ibverbs ibverbs;
    private final Device device;
    private final MemorySegment event =
            Arena.ofAuto().allocate(VerbsAbi.AsyncEvent.SIZE, Long.BYTES);

    /** Told of events. */
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
     * librdmacm keeps a device open until the process ends, and its events pile up while no fabric
     * reads them: what they told is not of the connections that are made from now on.
     */
    private void passOverThePast() {
        long address = event.address();
        while (ibverbs.getAsyncEvent(device.context(), address) == 0) {
            ibverbs.ackAsyncEvent(address);
        }
    }

    /**
     * Reads the events that have come.
     *
     * @param handler of those that matter; until it returns, what an event concerns is not
     *     destroyed, and nothing else has its address.
     * @return how many matter.
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
                                + " gives no events: "
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
                            "its addresses (GIDs) have changed: connections from one that is gone"
                                    + " fall silent, and end when a probe is not answered");
            case VerbsAbi.IBV_EVENT_PKEY_CHANGE ->
                    notice(
                            (int) element,
                            "its partitions have changed: connections in one that is gone fall"
                                    + " silent, and end when a probe is not answered");
            case VerbsAbi.IBV_EVENT_LID_CHANGE ->
                    notice(
                            (int) element,
                            "the subnet manager has given it another LID: connections fall silent,"
                                    + " and are made anew when a probe is not answered");
            case VerbsAbi.IBV_EVENT_SM_CHANGE, VerbsAbi.IBV_EVENT_CLIENT_REREGISTER ->
                    notice(
                            (int) element,
                            "the subnet manager is another or has restarted: paths may have"
                                    + " changed");
            default -> null;
        };
    }

    private DeviceEvent notice(int port, String words) {
        return new DeviceEvent(
                Kind.NOTICE,
                "WARN: the RDMA device "
                        + device.name()
                        + " reports of port "
                        + port
                        + ": "
                        + words,
                port,
                0);
    }

    /** What an event means for connections. */
    enum Kind {
        /** Nothing of the device works any more. */
        FATAL,

        /** Connections end. */
        ERROR,

        /** Data has come before the end of a handshake. */
        DATA_CAME,

        /** Nothing ends by it, but it explains why connections are lost later. */
        NOTICE
    }

    /**
     * An event.
     *
     * @param kind of it.
     * @param text in words.
     * @param port of the device, or 0 for all.
     * @param queue address of the queue pair or completion queue, or 0 for all.
     */
    record DeviceEvent(Kind kind, String text, int port, long queue) {}
}
