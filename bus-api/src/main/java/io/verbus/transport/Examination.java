// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.time.Duration;
import java.util.List;

/**
 * Examines this host for conditions that keep a transport from working, or from being fast. Found
 * by {@link java.util.ServiceLoader}; {@code verbus doctor} runs all of them.
 */
public interface Examination {
    /**
     * Examines the host without changing it. Reports missing or unreadable sources as findings
     * rather than exceptions.
     *
     * @param interval time between the two samples of each counter.
     * @return the findings, grouped by area.
     * @throws InterruptedException if the thread is interrupted between the samples.
     */
    List<Finding> examine(Duration interval) throws InterruptedException;
}
