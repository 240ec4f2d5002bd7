// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.driver.MediaDriver;

/** Determines which of the driver's agents share a thread. */
public enum ThreadingMode {
    /** One thread each for conductor, sender and receiver. */
    DEDICATED,

    /** One thread for the conductor, one for sender and receiver, with the sender's settings. */
    SHARED_NETWORK,

    /** One thread for all agents, with the conductor's settings. */
    SHARED,

    /** No threads: the application drives all agents through {@link MediaDriver#invoker()}. */
    INVOKER
}
