// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The errors that a device reports of itself. Read seldom: work requests that fail tell sooner.
 * Conductor's thread only.
 */
final class AsyncEvents {
    private static final int MAX_EVENTS_PER_LOOK = 16;

    private final Ibverbs ibverbs;
    private final Device device;
    private final MemorySegment event =
            Arena.ofAuto().allocate(VerbsAbi.AsyncEvent.SIZE, Long.BYTES);

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

    Device device() {
        return device;
    }

    /** The next error, or null if there is none; other events are passed over. */
    DeviceError next() {
        long address = event.address();
        for (int i = 0; i < MAX_EVENTS_PER_LOOK; i++) {
            if (ibverbs.getAsyncEvent(device.context(), address) != 0) {
                return NativeFunction.errno() == Errno.EAGAIN ? null : unreadable();
            }
            int type = Memory.getInt(address + VerbsAbi.AsyncEvent.TYPE);
            long element = Memory.getLong(address + VerbsAbi.AsyncEvent.ELEMENT);
            ibverbs.ackAsyncEvent(address);
            DeviceError error = error(type, element);
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    private DeviceError unreadable() {
        return new DeviceError(
                device.name() + " gives no events: " + Errno.describe(NativeFunction.errno()),
                0,
                0);
    }

    private DeviceError error(int type, long element) {
        String reason = "the RDMA device " + device.name() + " reports: " + ibverbs.eventText(type);
        return switch (type) {
            case VerbsAbi.IBV_EVENT_DEVICE_FATAL -> new DeviceError(reason, 0, 0);
            case VerbsAbi.IBV_EVENT_PORT_ERR -> new DeviceError(reason, (int) element, 0);
            case VerbsAbi.IBV_EVENT_CQ_ERR,
                    VerbsAbi.IBV_EVENT_QP_FATAL,
                    VerbsAbi.IBV_EVENT_QP_REQ_ERR,
                    VerbsAbi.IBV_EVENT_QP_ACCESS_ERR ->
                    new DeviceError(reason, 0, element);
            default -> null;
        };
    }

    /**
     * An error.
     *
     * @param reason in words.
     * @param port of the device, or 0 for all.
     * @param queue address of the queue pair or completion queue, or 0 for all.
     */
    record DeviceError(String reason, int port, long queue) {}
}
