// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.transport.Examination;
import io.verbus.transport.Finding;

import java.time.Duration;
import java.util.List;

/**
 * Examines this host: for RDMA its libraries, kernel, devices and locked memory, and for any media
 * its memory, open files, processors and clock.
 */
public final class RdmaExamination implements Examination {
    private static final String RDMA = "rdma";

    private final Host host;

    /** Creates an examination of the host of this process. */
    public RdmaExamination() {
        this(Host.own());
    }

    RdmaExamination(Host host) {
        this.host = host;
    }

    @Override
    public List<Finding> examine(Scope scope) throws InterruptedException {
        Findings findings = new Findings();
        boolean isForRdma = scope.isFor(RDMA);
        boolean hasHardware = isForRdma && examineDevices(scope.interval(), findings);
        MemoryCheck.examine(host, isForRdma, hasHardware, findings);
        OpenFilesCheck.examine(host.files(), findings);
        ProcessorCheck.examine(host, findings);
        ClockCheck.examine(host, findings);
        return findings.list();
    }

    /** Returns whether there is an adapter, rather than only software devices. */
    private boolean examineDevices(Duration interval, Findings findings)
            throws InterruptedException {
        LibraryCheck.examine(host, findings);
        KernelCheck.examine(host, findings);
        List<DeviceInfo> devices = DeviceCheck.examine(host, findings);
        for (DeviceInfo device : devices) {
            NumaCheck.examine(host, device, findings);
            FlowControlCheck.examine(host, device, findings);
        }
        CounterCheck.examine(host, devices, interval, findings);
        return devices.stream().anyMatch(device -> !device.software());
    }
}
