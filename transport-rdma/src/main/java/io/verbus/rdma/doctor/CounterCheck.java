// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.verbs.DeviceInfo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks which error counters of the ports increase during an interval. */
final class CounterCheck {
    private CounterCheck() {}

    static void examine(Host host, List<DeviceInfo> devices, Duration interval, Findings findings)
            throws InterruptedException {
        List<Watch> watches = new ArrayList<>();
        for (DeviceInfo device : devices) {
            for (DeviceInfo.Port port : device.ports()) {
                if (port.active()) {
                    watches.add(new Watch(device, port, sample(host, device, port)));
                }
            }
        }
        if (watches.isEmpty()) {
            return;
        }
        host.calls().pause(interval);
        for (Watch watch : watches) {
            Map<String, Long> last = sample(host, watch.device, watch.port);
            for (PortCounters kind : PortCounters.values()) {
                examine(watch, last, kind, interval, findings);
            }
        }
    }

    /** A port and its counters at the start of the interval. */
    private record Watch(DeviceInfo device, DeviceInfo.Port port, Map<String, Long> first) {}

    private static Map<String, Long> sample(Host host, DeviceInfo device, DeviceInfo.Port port) {
        List<String> folders = new ArrayList<>();
        folders.add(PortCheck.sysfs(device, port) + "/counters");
        folders.add(PortCheck.sysfs(device, port) + "/hw_counters");
        for (String netdev : Interfaces.of(host, device, port)) {
            folders.add("/sys/class/net/" + netdev + "/statistics");
            folders.add("/sys/class/net/" + netdev);
        }
        Map<String, Long> values = new TreeMap<>();
        for (String folder : folders) {
            for (PortCounters kind : PortCounters.values()) {
                for (String name : kind.names) {
                    long value = host.files().number(folder + "/" + name);
                    if (value >= 0) {
                        values.merge(name, value, Long::sum);
                    }
                }
            }
        }
        return values;
    }

    private static void examine(
            Watch watch,
            Map<String, Long> last,
            PortCounters kind,
            Duration interval,
            Findings findings) {
        String name = PortCheck.name(watch.device, watch.port);
        String area = "counters of " + watch.device.name();
        List<String> risen = new ArrayList<>();
        List<String> before = new ArrayList<>();
        boolean readable = false;
        for (Map.Entry<String, Long> counter : last.entrySet()) {
            Long first = watch.first.get(counter.getKey());
            if (!kind.names.contains(counter.getKey()) || first == null) {
                continue;
            }
            readable = true;
            long value = counter.getValue();
            if (value > first) {
                risen.add("%s rose by %d to %d".formatted(counter.getKey(), value - first, value));
            } else if (value > 0) {
                before.add(counter.getKey() + " " + value);
            }
        }
        if (!risen.isEmpty()) {
            findings.warning(
                    area,
                    "%s counted %s within %d ms: %s"
                            .formatted(
                                    name,
                                    kind.meaning,
                                    interval.toMillis(),
                                    String.join(", ", risen)),
                    kind.remedy);
        } else if (readable) {
            findings.ok(
                    area,
                    "%s counted no %s within %d ms%s"
                            .formatted(
                                    name,
                                    kind.meaning,
                                    interval.toMillis(),
                                    before.isEmpty()
                                            ? ""
                                            : "; totals before: " + String.join(", ", before)));
        } else if (watch.device.software()) {
            findings.ok(area, name + " has no counters for " + kind.meaning);
        } else {
            findings.warning(
                    area,
                    "cannot read the counters for " + kind.meaning + " on " + name,
                    "read them on the host itself if this is a container or a virtual function");
        }
    }
}
