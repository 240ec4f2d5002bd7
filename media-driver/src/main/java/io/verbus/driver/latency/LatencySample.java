// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.latency;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.LatencyBuckets;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Durations;
import io.verbus.cnc.LatencyFile.Reading;
import io.verbus.cnc.LatencyHop;

import org.HdrHistogram.Histogram;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The hops of a driver's streams at one time, and the durations added since an earlier sample. */
public final class LatencySample {
    private static final Durations NONE = new Durations(new long[LatencyBuckets.COUNT], 0, 0);

    /**
     * A hop.
     *
     * @param reading record of the hop.
     * @param least lower bounds of the durations since the earlier sample, if there is one.
     * @param most upper bounds of the durations since the earlier sample, if there is one.
     * @param openNs age of the open sample in nanoseconds, or 0.
     * @param last name of the receiver or subscriber that ended the last sample; may be empty.
     */
    public record Hop(Reading reading, Durations least, Durations most, long openNs, String last) {
        private static final Comparator<Hop> ORDER =
                Comparator.comparing((Hop hop) -> hop.owner().channel())
                        .thenComparing(hop -> hop.owner().streamId())
                        .thenComparing(hop -> hop.owner().sessionId())
                        .thenComparing(hop -> hop.owner().registrationId())
                        .thenComparing(hop -> hop.owner().peer())
                        .thenComparing(hop -> hop.owner().hop());

        /** Returns the stream that the hop belongs to. */
        public LatencyFile.Owner owner() {
            return reading.owner();
        }

        /** Returns the hop's name for plots and lists. */
        public String name() {
            LatencyFile.Owner owner = owner();
            String stream =
                    owner.streamId() == 0 && owner.channel().isEmpty()
                            ? ""
                            : "stream " + owner.streamId() + " session " + owner.sessionId() + " ";
            return stream
                    + (owner.peer().isEmpty() ? "" : "to " + owner.peer() + " ")
                    + owner.hop();
        }
    }

    private final boolean hasInterval;
    private final List<Hop> hops = new ArrayList<>();
    private final Long2ObjectHashMap<Reading> readings = new Long2ObjectHashMap<>();

    /**
     * @param file latency file of the driver.
     * @param cnc CnC file of the driver, which has the subscribers' counters.
     * @param before earlier sample; null if there is none.
     * @param nowNs current value of {@link System#nanoTime}.
     */
    public LatencySample(LatencyFile file, CncFile cnc, LatencySample before, long nowNs) {
        hasInterval = before != null;
        CountersReader counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
        for (Reading reading : file.read()) {
            readings.put(reading.number(), reading);
            Reading earlier = before == null ? null : before.readings.get(reading.number());
            hops.add(
                    new Hop(
                            reading,
                            reading.least().since(earlier == null ? NONE : earlier.least()),
                            reading.most().since(earlier == null ? NONE : earlier.most()),
                            reading.openSinceNs() == LatencyFile.NOT_OPEN
                                    ? 0
                                    : Math.max(0, nowNs - reading.openSinceNs()),
                            last(reading, counters)));
        }
        hops.sort(Hop.ORDER);
    }

    private static String last(Reading reading, CountersReader counters) {
        long last = reading.last();
        if (reading.owner().hop() == LatencyHop.CONSUMPTION) {
            boolean isCounter =
                    reading.most().count() > 0 && last >= 0 && last <= counters.maxCounterId();
            return isCounter ? "subscriber " + counters.getCounterRegistrationId((int) last) : "";
        }
        return last == 0 ? "" : "receiver " + Long.toHexString(last);
    }

    /** Returns whether there was an earlier sample, so that the hops have an interval. */
    public boolean hasInterval() {
        return hasInterval;
    }

    /** Returns the hops by channel, stream and session. */
    public List<Hop> hops() {
        return hops;
    }

    /** Returns a histogram of durations in nanoseconds. */
    public static Histogram histogram(Durations durations) {
        Histogram histogram = new Histogram(3);
        for (int i = 0; i < durations.counts().length; i++) {
            long count = durations.counts()[i];
            if (count > 0) {
                histogram.recordValueWithCount(
                        Math.min(LatencyBuckets.highest(i), durations.max()), count);
            }
        }
        return histogram;
    }
}
