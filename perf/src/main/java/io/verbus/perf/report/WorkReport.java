// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.rtt.Work;
import io.verbus.perf.run.Runner;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What was asked for, in reports. */
final class WorkReport {
    private WorkReport() {}

    static String rate(Work work) {
        return work.rate() == Work.ONE_AT_A_TIME
                ? "one at a time"
                : String.format(Locale.ROOT, "%,d/s", work.rate());
    }

    static Map<String, Object> toMap(Work work) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("transport", work.wire().toString());
        map.put("length", work.length());
        map.put("mtu", work.mtu());
        map.put("termLength", work.termLength());
        map.put("messages", work.messages());
        map.put("warmup", work.warmup());
        map.put("rate", work.rate() == Work.ONE_AT_A_TIME ? "max" : work.rate());
        map.put("threading", work.threading().toString());
        map.put("idle", work.idle().toString());
        map.put("driverIdle", work.driverIdle().toString());
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
