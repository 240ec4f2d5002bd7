// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.time.Duration;
import java.util.Map;

/**
 * What becomes of a subscriber that is too slow for its stream. Times that a channel does not name
 * the driver chooses.
 *
 * @param isTethered {@code tether}: whether the subscriber holds the stream back.
 * @param rejoins {@code rejoin}: whether one that was let go joins again, and a stream of a peer
 *     that was lost or rejected is received again.
 * @param windowLimit {@code untethered-window-limit-timeout}: time too far behind after which a
 *     subscriber is let go; null if not said.
 * @param linger {@code untethered-linger-timeout}: time for which one that was let go still holds
 *     the stream back; null if not said.
 * @param resting {@code untethered-resting-timeout}: time after that until it joins again; null if
 *     not said.
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
