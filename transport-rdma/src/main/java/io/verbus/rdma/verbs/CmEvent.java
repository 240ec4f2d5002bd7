// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * A copy of a connection manager event. The original has already been acknowledged, so the id can
 * be destroyed while the copy is being handled.
 *
 * @param owner owner of the event's id when the event was read; the id may have a different owner
 *     when it is handled.
 * @param listener listener that received the connection request; null for other events.
 * @param type {@code RDMA_CM_EVENT_...}.
 * @param status 0, a negative errno, or the reason for a rejection.
 * @param privateData private data from the peer, possibly padded.
 */
record CmEvent(Object owner, VerbsListener listener, int type, int status, byte[] privateData) {
    private static final byte[] NO_DATA = {};

    /** Copies a {@code struct rdma_cm_event}. */
    static CmEvent read(long event, Object owner, VerbsListener listener) {
        int type = type(event);
        return new CmEvent(
                owner,
                listener,
                type,
                Memory.getInt(event + VerbsAbi.CmEvent.STATUS),
                carriesPrivateData(type) ? privateData(event) : NO_DATA);
    }

    /** Returns the type of a {@code struct rdma_cm_event}. */
    static int type(long event) {
        return Memory.getInt(event + VerbsAbi.CmEvent.TYPE);
    }

    /**
     * Returns the {@code rdma_cm_id} that a {@code struct rdma_cm_event} refers to; for a
     * connection request, this is the id of the new connection.
     */
    static long id(long event) {
        return Memory.getLong(event + VerbsAbi.CmEvent.ID);
    }

    /** Returns the listening id that received a connection request. */
    static long listenId(long event) {
        return Memory.getLong(event + VerbsAbi.CmEvent.LISTEN_ID);
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
