// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Report of stream measurements. */
public final class ThroughputReport {
    private static final double MEBIBYTE = 1024 * 1024;

    private final String version;
    private final Work first;
    private final List<Map<String, Object>> streams = new ArrayList<>();

    /**
     * @param version name and version of the bus.
     * @param first first work of the report.
     */
    public ThroughputReport(String version, Work first) {
        this.version = version;
        this.first = first;
    }

    /** Returns the first lines of the table. */
    public String header() {
        return String.format(
                Locale.ROOT,
                "%s, %s, at full speed; allocated bytes and processor time per message%n"
                        + "%8s %10s %11s %14s %10s %12s %12s %8s%n",
                version,
                first.wire(),
                "bytes",
                "publishers",
                "subscribers",
                "messages/s",
                "MiB/s",
                "alloc, pub",
                "alloc, sub",
                "cpu ns");
    }

    /** Adds a stream; returns its line of the table. */
    public String add(Work work, Throughput throughput) {
        double published = (double) throughput.publisherAllocated() / throughput.messages();
        double subscribed = (double) throughput.subscriberAllocated() / throughput.messages();
        Map<String, Object> stream = new LinkedHashMap<>();
        stream.put("length", work.length());
        stream.put("publishers", work.load().publishers());
        stream.put("subscribers", work.load().subscribers());
        stream.put("messages", throughput.messages());
        stream.put("messagesPerSecond", throughput.messagesPerSecond());
        stream.put("bytesPerSecond", throughput.bytesPerSecond());
        stream.put("publisherAllocatedBytesPerMessage", published);
        stream.put("subscriberAllocatedBytesPerMessage", subscribed);
        stream.put("cpuNsPerMessage", throughput.cpuNsPerMessage());
        streams.add(stream);
        return String.format(
                Locale.ROOT,
                "%,8d %10d %11d %,14.0f %,10.1f %12.3f %12.3f %,8.1f%n",
                work.length(),
                work.load().publishers(),
                work.load().subscribers(),
                throughput.messagesPerSecond(),
                throughput.bytesPerSecond() / MEBIBYTE,
                published,
                subscribed,
                throughput.cpuNsPerMessage());
    }

    /** Returns all results as JSON. */
    public String json() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("bus", version);
        report.put("transport", first.wire().toString());
        report.put("streams", streams);
        report.put("work", WorkReport.toMap(first));
        report.put("environment", WorkReport.environment());
        return Json.write(report);
    }
}
