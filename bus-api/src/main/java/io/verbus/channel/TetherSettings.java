// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.time.Duration;
import java.util.Map;

/**
 * The settings of a channel for subscribers that are too slow for their stream. The driver chooses
 * those that are null.
 *
 * @param isTethered {@code tether}: whether a slow subscriber back-pressures the publisher.
 * @param rejoins {@code rejoin}: whether a detached subscriber rejoins, and a lost or rejected
 *     stream of a peer is received again.
 * @param windowLimit {@code untethered-window-limit-timeout}: how long an untethered subscriber may
 *     lag before it is detached; null if unset.
 * @param linger {@code untethered-linger-timeout}: how long a detached subscriber still
 *     back-pressures the stream; null if unset.
 * @param resting {@code untethered-resting-timeout}: time from the end of {@code linger} until the
 *     subscriber rejoins; null if unset.
 */
public record TetherSettings(
        boolean isTethered,
        boolean rejoins,
        Duration windowLimit,
        Duration linger,
        Duration resting) {
    static TetherSettings of(Map<ChannelKey, Object> values) {
        return new TetherSettings(
                !Boolean.FALSE.equals(values.get(ChannelKey.TETHER)),
                !Boolean.FALSE.equals(values.get(ChannelKey.REJOIN)),
                (Duration) values.get(ChannelKey.UNTETHERED_WINDOW_LIMIT),
                (Duration) values.get(ChannelKey.UNTETHERED_LINGER),
                (Duration) values.get(ChannelKey.UNTETHERED_RESTING));
    }
}
