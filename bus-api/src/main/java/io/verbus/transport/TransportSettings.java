// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/** The driver's settings that belong to its transports. */
@FunctionalInterface
public interface TransportSettings {
    /**
     * Value of a setting.
     *
     * @param name without the prefix {@code verbus.}, such as {@code rdma.retry-count}.
     * @param defaultValue where it is not set.
     * @return the text that was set, or the default.
     */
    String option(String name, String defaultValue);
}
