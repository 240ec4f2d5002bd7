// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.time.Duration;
import java.util.List;

/**
 * Looks at this host for what keeps a transport from working or from being fast. Found by {@link
 * java.util.ServiceLoader}; {@code verbus doctor} runs every one.
 */
public interface Examination {
    /**
     * Examines the host. Changes nothing on it, and throws nothing for what is absent or may not be
     * read: that is a finding.
     *
     * @param interval between the two samples of each counter.
     * @return what was found, those of an area together.
     * @throws InterruptedException if the thread is interrupted between the samples.
     */
    List<Finding> examine(Duration interval) throws InterruptedException;
}
