// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.transport.Examination;
import io.verbus.transport.Finding;

import java.time.Duration;
import java.util.List;

/** Examines this host for RDMA: libraries, kernel, devices, memory, processors and clock. */
public final class RdmaExamination implements Examination {
    private final Host host;

    /** Creates an examination of the host of this process. */
    public RdmaExamination() {
        this(Host.own());
    }

    RdmaExamination(Host host) {
        this.host = host;
    }

    @Override
    public List<Finding> examine(Duration interval) throws InterruptedException {
        Findings findings = new Findings();
        LibraryCheck.examine(host, findings);
        KernelCheck.examine(host, findings);
        List<DeviceInfo> devices = DeviceCheck.examine(host, findings);
        for (DeviceInfo device : devices) {
            NumaCheck.examine(host, device, findings);
            FlowControlCheck.examine(host, device, findings);
        }
        CounterCheck.examine(host, devices, interval, findings);
        boolean hardware = devices.stream().anyMatch(device -> !device.software());
        MemoryCheck.examine(host, hardware, findings);
        ProcessorCheck.examine(host, findings);
        ClockCheck.examine(host, findings);
        return findings.list();
    }
}
