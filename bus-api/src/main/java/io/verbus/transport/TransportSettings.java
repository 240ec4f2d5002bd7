// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/** The driver's settings for its transports. */
@FunctionalInterface
public interface TransportSettings {
    /**
     * Returns the value of a setting.
     *
     * @param name name without the prefix {@code verbus.}, such as {@code rdma.retry-count}.
     * @param defaultValue value if the setting is not set.
     * @return the configured text, or the default.
     */
    String option(String name, String defaultValue);
}
