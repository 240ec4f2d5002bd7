// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.report.Figure.Better;
import io.verbus.perf.run.ColdStart;

import java.util.LinkedHashMap;
import java.util.Map;

/** Converts measurements to figures, in display order. */
public final class Figures {
    private static final String PER_SECOND = "messages/s";
    private static final String BYTES_EACH = "bytes/message";
    private static final double MEBIBYTE = 1024 * 1024;
    private static final double NS_PER_MS = 1e6;

    private static final Figure SAMPLES = new Figure("samples", "round trips", Better.NEITHER);
    private static final Figure ECHOES = new Figure("rate", PER_SECOND, Better.NEITHER);
    private static final Figure RATE = new Figure("rate", PER_SECOND, Better.HIGHER);
    private static final Figure DATA = new Figure("data", "MiB/s", Better.NEITHER);
    private static final Figure CPU = new Figure("cpu", "ns/message", Better.LOWER);
    private static final Figure SENDING =
            new Figure("allocated by publisher", BYTES_EACH, Better.NEITHER);
    private static final Figure RECEIVING =
            new Figure("allocated by subscriber", BYTES_EACH, Better.NEITHER);
    private static final Figure RECORDED = new Figure("recorded", PER_SECOND, Better.HIGHER);
    private static final Figure REPLAYED = new Figure("replayed", PER_SECOND, Better.HIGHER);
    private static final Figure USEFUL = new Figure("calls", "calls/message", Better.LOWER);
    private static final Figure IDLE = new Figure("idle calls", "calls/message", Better.LOWER);
    private static final Figure FIRST = new Figure("first echo", "ms", Better.LOWER);

    /** Steps in which the kernel reports the processor time of a process: its clock tick. */
    private static final long TICK_NS = 10_000_000;

    /** Processor time below which the figure would say more about the ticks. */
    private static final long MIN_CPU_NS = 20 * TICK_NS;

    /** Note on streams without a figure of the processor time. */
    static final String NO_CPU =
            "cpu left out: the processes used less than "
                    + MIN_CPU_NS / 1_000_000
                    + " ms of processor time, which is counted in steps of "
                    + TICK_NS / 1_000_000
                    + " ms; measure more messages";

    private Figures() {}

    /** Returns the maximum, and the percentiles for which there are enough samples. */
    public static Map<Figure, Double> of(Measurement measurement) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        for (Percentile percentile : Percentile.values()) {
            if (percentile.isReachedBy(measurement.histogram())) {
                figures.put(percentile.figure(), percentile.microseconds(measurement.histogram()));
            }
        }
        figures.put(SAMPLES, (double) measurement.histogram().getTotalCount());
        figures.put(ECHOES, measurement.perSecond());
        return figures;
    }

    /** Returns the time from the start of a process to its first echo, and its percentiles. */
    public static Map<Figure, Double> of(ColdStart start) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        figures.put(FIRST, start.firstEchoNs() / NS_PER_MS);
        figures.putAll(of(start.measurement()));
        return figures;
    }

    /**
     * Returns counts of system calls.
     *
     * @param useful calls per message that transfer data.
     * @param idle calls per message that find nothing to do.
     */
    public static Map<Figure, Double> ofSystemCalls(double useful, double idle) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        figures.put(USEFUL, useful);
        figures.put(IDLE, idle);
        return figures;
    }

    /** Returns the rates of recordings and replays. */
    public static Map<Figure, Double> of(Recording recording) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        figures.put(RECORDED, recording.recordedPerSecond());
        figures.put(REPLAYED, recording.replayedPerSecond());
        return figures;
    }

    /** Returns whether a stream took enough processor time for the resolution of its clock. */
    static boolean isCpuMeasured(Throughput throughput) {
        return throughput.cpuNs() >= MIN_CPU_NS;
    }

    /**
     * Returns the rates of a stream, and its costs per message; without the processor time if there
     * was too little of it.
     */
    public static Map<Figure, Double> of(Throughput throughput) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        double messages = throughput.messages();
        figures.put(RATE, throughput.messagesPerSecond());
        figures.put(DATA, throughput.bytesPerSecond() / MEBIBYTE);
        if (isCpuMeasured(throughput)) {
            figures.put(CPU, throughput.cpuNsPerMessage());
        }
        figures.put(SENDING, throughput.publisherAllocated() / messages);
        figures.put(RECEIVING, throughput.subscriberAllocated() / messages);
        return figures;
    }
}
