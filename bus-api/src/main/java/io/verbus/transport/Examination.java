// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Examines this host for conditions that keep a transport from working, or from being fast. Found
 * by {@link java.util.ServiceLoader}; {@code verbus doctor} runs all of them.
 */
public interface Examination {
    /**
     * The purpose of an examination.
     *
     * @param media media that a driver on this host should carry, such as {@code rdma}.
     * @param settings settings of that driver's transports.
     * @param interval time between the two samples of each counter.
     */
    record Scope(Set<String> media, TransportSettings settings, Duration interval) {
        /** Returns whether the driver should carry a media. */
        public boolean isFor(String one) {
            return media.contains(one);
        }
    }

    /**
     * Examines the host without changing it. Reports missing or unreadable sources as findings
     * rather than exceptions.
     *
     * @param scope what to examine for.
     * @return the findings, grouped by area; none if the examination is about other media.
     * @throws InterruptedException if the thread is interrupted between the samples.
     * @throws TransportException if a setting is invalid.
     */
    List<Finding> examine(Scope scope) throws InterruptedException;
}
