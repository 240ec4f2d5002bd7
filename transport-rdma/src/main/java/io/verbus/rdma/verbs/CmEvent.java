// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * An event of the connection manager, copied: the original is acknowledged already, so that the id
 * can be destroyed while the event is handled.
 *
 * @param id that it concerns; of a connection request, the new one.
 * @param listenId at which a connection request arrived.
 * @param type {@code RDMA_CM_EVENT_...}.
 * @param status 0, a negative errno, or the reason of a rejection.
 * @param privateData of the peer, possibly padded.
 */
record CmEvent(long id, long listenId, int type, int status, byte[] privateData) {
    private static final byte[] NO_DATA = {};

    /** Copies a {@code struct rdma_cm_event}. */
    static CmEvent read(long event) {
        int type = Memory.getInt(event + VerbsAbi.CmEvent.TYPE);
        return new CmEvent(
                Memory.getLong(event + VerbsAbi.CmEvent.ID),
                Memory.getLong(event + VerbsAbi.CmEvent.LISTEN_ID),
                type,
                Memory.getInt(event + VerbsAbi.CmEvent.STATUS),
                carriesPrivateData(type) ? privateData(event) : NO_DATA);
    }

    /** Whether to handle it a queue pair is made. */
    boolean makesQueuePair() {
        return type == VerbsAbi.RDMA_CM_EVENT_CONNECT_REQUEST
                || type == VerbsAbi.RDMA_CM_EVENT_ROUTE_RESOLVED;
    }

    private static boolean carriesPrivateData(int type) {
        return type == VerbsAbi.RDMA_CM_EVENT_CONNECT_REQUEST
                || type == VerbsAbi.RDMA_CM_EVENT_ESTABLISHED
                || type == VerbsAbi.RDMA_CM_EVENT_REJECTED;
    }

    private static byte[] privateData(long event) {
        long data = Memory.getLong(event + VerbsAbi.CmEvent.PRIVATE_DATA);
        int length = Byte.toUnsignedInt(Memory.getByte(event + VerbsAbi.CmEvent.PRIVATE_DATA_LEN));
        return data == 0 ? NO_DATA : Memory.getBytes(data, length);
    }
}
