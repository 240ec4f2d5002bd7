// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * The counters of one RDMA connection, or of one image that a connection delivers, of type {@link
 * CounterTypes#CONNECTION}. {@link ConnectionKey} holds the number.
 */
public enum ConnectionCounter {
    /** State of the connection: 0 down, 1 connecting, 2 up. */
    STATE(1, "state"),
    /** Number of the queue pair at its device. */
    QUEUE_PAIR(2, "queue pair"),
    /** Number of connections established. */
    CONNECTS(3, "connects"),
    /** Number of streams resumed after a connection was lost. */
    RESUMES(4, "resumes"),
    /** Number of times that the connection was lost or could not be established. */
    FAILURES(5, "failures"),
    /** Bytes of log, or of credit, written to the peer. */
    BYTES(6, "bytes"),
    /** Batches of frames, or credit updates, written to the peer. */
    BATCHES(7, "batches"),
    /** Number of work requests posted. */
    WORK_REQUESTS(8, "work requests"),
    /** Number of completions polled. */
    COMPLETIONS(9, "completions"),
    /** Number of times that a work request waited for space in the send queue. */
    SEND_QUEUE_STALLS(10, "send queue stalls"),
    /** Number of times that frames waited for the peer's credit. */
    CREDIT_STALLS(11, "credit stalls"),
    /** Number of the peer's messages that violated the protocol. */
    VIOLATIONS(12, "protocol violations"),
    /** Number of failures when the label was last written; the label describes the last failure. */
    LAST_FAILURE(13, "last failure: none"),
    /** State of the image: 1 written, 2 held, 3 closing, 4 ended, 5 being registered, 0 gone. */
    IMAGE_STATE(20, "state"),
    /** Number of times that credit was granted. */
    IMAGE_GRANTS(21, "credit grants"),
    /** Number of times that the image was resumed after its connection was lost. */
    IMAGE_RESUMES(22, "resumes");

    private final int number;
    private final String label;

    ConnectionCounter(int number, String label) {
        this.number = number;
        this.label = label;
    }

    /** Returns the number in the key, which is the same in every release. */
    public int number() {
        return number;
    }

    /**
     * Returns the human-readable name of the counter, which follows the connection or image in the
     * label.
     */
    public String label() {
        return label;
    }
}
