// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.util.Objects;

/**
 * One thing that an {@link Examination} has found.
 *
 * @param level how bad it is.
 * @param area that it belongs to, one or two words by which findings are grouped.
 * @param text what was found, one sentence without a full stop, with the values that were read.
 * @param remedy what to do about it; empty exactly where the level is {@link Level#OK}.
 */
public record Finding(Level level, String area, String text, String remedy) {
    /** How bad a finding is. */
    public enum Level {
        /** As it should be, or of no consequence here. */
        OK,

        /** Works, but slower than it could, or a fault that can occur again. */
        WARNING,

        /** The transport cannot work here, or not with this device. */
        ERROR
    }

    public Finding {
        Objects.requireNonNull(level);
        if (remedy.isEmpty() != (level == Level.OK)) {
            throw new IllegalArgumentException(
                    "finding '" + text + "' is " + level + " with the remedy '" + remedy + "'");
        }
    }
}
