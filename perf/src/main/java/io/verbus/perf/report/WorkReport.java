// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Describes the measured work in reports. */
final class WorkReport {
    /** Key of the rate that was asked for, if the machine did not sustain it. */
    static final String RATE_ASKED = "rateAsked";

    /** Key of the rate that the machine sustains. */
    static final String SUSTAINED = "sustainedPerSecond";

    private static final String DEVICE = "device";

    /** Keys that describe the machine rather than the work. */
    static final Set<String> OF_MACHINE = Set.of(DEVICE, RATE_ASKED, SUSTAINED);

    private WorkReport() {}

    /** Returns a short description: the transport, length and rate. */
    static String name(Work work) {
        Load load = work.load();
        StringBuilder name = new StringBuilder();
        name.append(String.format(Locale.ROOT, "%s, %,d bytes", work.wire(), work.length()));
        if (load.isStream()) {
            count(name, load.publishers(), "publishers");
            count(name, load.subscribers(), "subscribers");
        } else if (load.kind() == Load.Kind.ROUND_TRIPS) {
            name.append(", ").append(rate(load));
        }
        return name.toString();
    }

    private static void count(StringBuilder name, int count, String what) {
        if (count > 1) {
            name.append(", ").append(count).append(' ').append(what);
        }
    }

    private static String rate(Load load) {
        if (load.rate() == Load.MAX) {
            return "one at a time";
        }
        return load.burst() == 1
                ? String.format(Locale.ROOT, "%,d/s", load.rate())
                : String.format(Locale.ROOT, "%,d/s in bursts of %,d", load.rate(), load.burst());
    }

    static Map<String, Object> toMap(Work work) {
        Threads threads = Threads.of(work);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("transport", work.wire().toString());
        map.put("processes", work.processes());
        map.put("drivers", work.drivers().toString());
        map.put("threads", threads.all());
        map.put("busyThreads", threads.busy());
        map.put("length", work.length());
        map.put("mtu", work.mtu());
        map.put("termLength", work.termLength());
        map.put("messages", work.messages());
        map.put("warmup", work.warmup());
        map.put("rate", work.load().rate() == Load.MAX ? "max" : work.load().rate());
        map.put("burst", work.load().burst());
        map.put("publishers", work.load().publishers());
        map.put("subscribers", work.load().subscribers());
        map.put("publications", work.load().publications().toString());
        map.put("polling", work.load().polling().toString());
        map.put("threading", work.threading().toString());
        map.put("idle", work.idle().toString());
        map.put("driverIdle", work.driverIdle().toString());
        map.put("affinity", work.affinity());
        map.put(DEVICE, device(work));
        return map;
    }

    private static Object device(Work work) {
        return switch (work.wire()) {
            case IPC -> "shared memory";
            case UDP -> work.initiator() + " to " + work.reflector();
            case RDMA -> Environment.rdmaDevices();
        };
    }
}
