// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;
import io.verbus.perf.run.Runner;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Describes the measured work in reports. */
final class WorkReport {
    private WorkReport() {}

    static String rate(Work work) {
        Load load = work.load();
        if (load.isStream()) {
            return "streamed";
        }
        if (load.kind() == Load.Kind.RECORDINGS) {
            return "recorded and replayed";
        }
        if (load.rate() == Load.MAX) {
            return "one at a time";
        }
        return load.burst() == 1
                ? String.format(Locale.ROOT, "%,d/s", load.rate())
                : String.format(Locale.ROOT, "%,d/s in bursts of %,d", load.rate(), load.burst());
    }

    static Map<String, Object> toMap(Work work) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("transport", work.wire().toString());
        map.put("processes", work.processes());
        map.put("drivers", work.drivers().toString());
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
        map.put("device", device(work));
        return map;
    }

    static Map<String, Object> environment() {
        return Environment.describe(Runner.flags());
    }

    private static Object device(Work work) {
        return switch (work.wire()) {
            case IPC -> "shared memory";
            case UDP -> work.initiator() + " to " + work.reflector();
            case RDMA -> Environment.rdmaDevices();
        };
    }
}
