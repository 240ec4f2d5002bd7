// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Driver-wide counters. The ordinal is the counter's id in the CnC file: Aeron's counters in
 * Aeron's order, then those that only Verbus has. Counters marked as shared are incremented
 * atomically by several threads; all others have one writer.
 */
public enum SystemCounter {
    /** Bytes of datagrams, and of logs over RDMA. Written by the sender. */
    BYTES_SENT("Bytes sent"),
    /** Bytes of datagrams, and of images written over RDMA. Written by the receiver. */
    BYTES_RECEIVED("Bytes received"),
    RECEIVER_PROXY_FAILS("Failed offers to ReceiverProxy"),
    SENDER_PROXY_FAILS("Failed offers to SenderProxy"),
    CONDUCTOR_PROXY_FAILS("Failed offers to DriverConductorProxy"),
    NAKS_SENT("NAKs sent"),
    NAKS_RECEIVED("NAKs received"),
    STATUS_MESSAGES_SENT("Status Messages sent"),
    STATUS_MESSAGES_RECEIVED("Status Messages received"),
    HEARTBEATS_SENT("Heartbeats sent"),
    HEARTBEATS_RECEIVED("Heartbeats received"),
    /** Counts datagrams. */
    RETRANSMITS_SENT("Retransmits sent"),
    FLOW_CONTROL_UNDER_RUNS("Flow control under runs"),
    FLOW_CONTROL_OVER_RUNS("Flow control over runs"),
    /** Shared: incremented by several threads. */
    INVALID_PACKETS("Invalid packets"),
    /** Shared: incremented by several threads. */
    ERRORS("Errors: " + SystemCounter.RELEASE),
    /** Shared: incremented by several threads. */
    SHORT_SENDS("Short sends"),
    FREE_FAILS("Failed attempts to free log buffers"),
    SENDER_FLOW_CONTROL_LIMITS("Sender flow control limits, i.e. back-pressure events"),
    UNBLOCKED("Unblocked Publications"),
    COMMANDS_UNBLOCKED("Unblocked Control Commands"),
    POSSIBLE_TTL_ASYMMETRY("Possible TTL Asymmetry"),
    CONTROLLABLE_IDLE_STRATEGY("ControllableIdleStrategy status"),
    LOSS_GAP_FILLS("Loss gap fills"),
    CLIENTS_TIMED_OUT("Client liveness timeouts"),
    RESOLUTION_CHANGES("Resolution changes"),
    CONDUCTOR_MAX_CYCLE_TIME("Conductor max cycle time doing its work in ns"),
    CONDUCTOR_CYCLES_EXCEEDED("Conductor work cycle exceeded threshold count"),
    SENDER_MAX_CYCLE_TIME("Sender max cycle time doing its work in ns"),
    SENDER_CYCLES_EXCEEDED("Sender work cycle exceeded threshold count"),
    RECEIVER_MAX_CYCLE_TIME("Receiver max cycle time doing its work in ns"),
    RECEIVER_CYCLES_EXCEEDED("Receiver work cycle exceeded threshold count"),
    NAME_RESOLVER_MAX_TIME("NameResolver max time in ns"),
    NAME_RESOLVER_TIMES_EXCEEDED("NameResolver exceeded threshold count"),
    AERON_VERSION("Aeron software: " + SystemCounter.RELEASE),
    /** Counts the bytes of logs only. */
    LOG_BYTES("Bytes currently mapped"),
    RETRANSMITTED_BYTES("Retransmitted bytes"),
    RETRANSMIT_OVERFLOW("Retransmit Pool Overflow count"),
    ERROR_FRAMES_RECEIVED("Error Frames received"),
    ERROR_FRAMES_SENT("Error Frames sent"),
    PUBLICATIONS_REVOKED("Publications Revoked"),
    IMAGES_REVOKED("Publication Images Revoked"),
    IMAGES_REJECTED("Images rejected"),
    CONTROL_PROTOCOL_VERSION("Control protocol version"),
    STATUS_MESSAGES_REJECTED("Status Messages rejected"),
    ASYNC_EXECUTOR_PROXY_FAILS("Failed offers to AsyncExecutorProxy"),

    // Only in Verbus

    HEARTBEAT("driver heartbeat, ms since the epoch"),
    COMMANDS("commands"),
    COMMANDS_MALFORMED("malformed commands"),
    COMMANDS_FAILED("failed commands"),
    CLIENTS("clients"),
    PUBLICATIONS("publications"),
    SUBSCRIPTIONS("subscriptions"),
    IMAGES("images"),
    IMAGES_LOST("images lost"),
    IMAGES_INVALID("images ended by invalid frames");

    /**
     * Value of {@link #AERON_VERSION}: the Aeron release that defines this shared memory layout,
     * 1.51.0.
     */
    public static final int AERON_VERSION_VALUE = 1 << 16 | 51 << 8;

    /** Value of {@link #CONTROL_PROTOCOL_VERSION}: 1.0.0. */
    public static final int CONTROL_PROTOCOL_VERSION_VALUE = 1 << 16;

    /** Aeron release that defines this shared memory layout, as its driver labels it. */
    private static final String RELEASE = "version=1.51.0 commit=9773cba37e";

    private final String label;

    SystemCounter(String label) {
        this.label = label;
    }

    /** Returns the human-readable label. */
    public String label() {
        return label;
    }

    /** Returns whether Aeron has the counter too. */
    public boolean isAerons() {
        return ordinal() < HEARTBEAT.ordinal();
    }

    /** Returns {@link CounterTypes#SYSTEM} or {@link CounterTypes#DRIVER}. */
    public int typeId() {
        return isAerons() ? CounterTypes.SYSTEM : CounterTypes.DRIVER;
    }

    /** Returns the number in the key, unique within the type. */
    public int number() {
        return isAerons() ? ordinal() : ordinal() - HEARTBEAT.ordinal();
    }
}
