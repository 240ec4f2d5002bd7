// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Counters of one connection of RDMA, or of one image that a connection brings, of type {@link
 * CounterTypes#CONNECTION}. {@link ConnectionKey} holds the number.
 */
public enum ConnectionCounter {
    /** 0 down, 1 connecting, 2 up. */
    STATE(1, "state"),
    /** Number of the queue pair on its device. */
    QUEUE_PAIR(2, "queue pair"),
    /** Times that a connection was made. */
    CONNECTS(3, "connects"),
    /** Streams that went on where a lost connection had left them. */
    RESUMES(4, "resumes"),
    /** Times that a connection was lost or could not be made. */
    FAILURES(5, "failures"),
    /** Bytes of logs, or of credit, written to the peer. */
    BYTES(6, "bytes"),
    /** Batches of frames, or grants of credit, written to the peer. */
    BATCHES(7, "batches"),
    /** Work requests posted. */
    WORK_REQUESTS(8, "work requests"),
    /** Completions polled. */
    COMPLETIONS(9, "completions"),
    /** Times that something waited for a place in the send queue. */
    SEND_QUEUE_STALLS(10, "send queue stalls"),
    /** Times that frames waited for the peer's credit. */
    CREDIT_STALLS(11, "credit stalls"),
    /** Messages of the peer that broke the protocol. */
    VIOLATIONS(12, "protocol violations"),
    /** The failures that there were when the label was written, which tells the last in words. */
    LAST_FAILURE(13, "last failure: none"),
    /** 1 written, 2 held, 3 closing, 4 ended, 5 being registered, 0 gone. */
    IMAGE_STATE(20, "state"),
    /** Times that credit was granted. */
    IMAGE_GRANTS(21, "credit grants"),
    /** Times that the image went on after its connection was lost. */
    IMAGE_RESUMES(22, "resumes");

    private final int number;
    private final String label;

    ConnectionCounter(int number, String label) {
        this.number = number;
        this.label = label;
    }

    /** The number in the key: the same in each release. */
    public int number() {
        return number;
    }

    /** What it counts, for people; the connection or image is named before it. */
    public String label() {
        return label;
    }
}
