// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import java.util.Set;

/** Checks that reading the time is cheap: agents read it once per duty cycle. */
final class ClockCheck {
    private static final String AREA = "clock";
    private static final String SYSFS = "/sys/devices/system/clocksource/clocksource0";

    /** Clock sources that Linux reads on x86-64 and aarch64 without a system call. */
    private static final Set<String> FAST =
            Set.of("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter");

    private ClockCheck() {}

    static void examine(Host host, Findings findings) {
        FileTree files = host.files();
        String current = files.read(SYSFS + "/current_clocksource");
        String available = files.read(SYSFS + "/available_clocksource");
        if (current.isEmpty()) {
            findings.warning(
                    AREA,
                    "cannot read the clock source",
                    "read " + SYSFS + "/current_clocksource on" + " the host itself");
        } else if (FAST.contains(current)) {
            findings.ok(AREA, "the clock source is " + current);
        } else {
            findings.warning(
                    AREA,
                    "the clock source is "
                            + current
                            + ", which needs a system call for each reading",
                    available.contains("tsc")
                            ? "`echo tsc > " + SYSFS + "/current_clocksource`"
                            : "boot with tsc=reliable if the CPUs' time-stamp counters are"
                                    + " synchronized (`dmesg | grep -i tsc` says why the kernel"
                                    + " rejected them)");
        }
    }
}
