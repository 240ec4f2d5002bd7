// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import io.verbus.cnc.SystemCounter;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.RecentCycle;

/**
 * Cycle times of the three agents.
 *
 * @param conductor cycle times of the conductor.
 * @param sender cycle times of the sender.
 * @param receiver cycle times of the receiver.
 */
public record CycleTimes(CycleTime conductor, CycleTime sender, CycleTime receiver) {
    /**
     * Creates the cycle times of a driver, and adds the thresholds to the labels of their counters.
     */
    public static CycleTimes of(DriverConfig config, DriverCounters counters) {
        return new CycleTimes(
                time(
                        counters,
                        SystemCounter.CONDUCTOR_MAX_CYCLE_TIME,
                        RecentCycle.CONDUCTOR,
                        SystemCounter.CONDUCTOR_CYCLES_EXCEEDED,
                        config.conductor().thresholdNs()),
                time(
                        counters,
                        SystemCounter.SENDER_MAX_CYCLE_TIME,
                        RecentCycle.SENDER,
                        SystemCounter.SENDER_CYCLES_EXCEEDED,
                        config.sender().thresholdNs()),
                time(
                        counters,
                        SystemCounter.RECEIVER_MAX_CYCLE_TIME,
                        RecentCycle.RECEIVER,
                        SystemCounter.RECEIVER_CYCLES_EXCEEDED,
                        config.receiver().thresholdNs()));
    }

    private static CycleTime time(
            DriverCounters counters,
            SystemCounter max,
            RecentCycle recent,
            SystemCounter exceeded,
            long thresholdNs) {
        return new CycleTime(
                counters.system(max),
                counters.ofDriver(recent.number(), recent.label()),
                counters.exceeded(exceeded, thresholdNs),
                thresholdNs);
    }
}
