// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.util.Objects;

/**
 * One finding of an {@link Examination}.
 *
 * @param level severity.
 * @param area area by which findings are grouped, one or two words.
 * @param text the finding, one sentence without a full stop, with the values that were read.
 * @param remedy what to do about it; empty if and only if the level is {@link Level#OK}.
 */
public record Finding(Level level, String area, String text, String remedy) {
    /** Severity of a finding. */
    public enum Level {
        /** The host is as it should be, or the finding is irrelevant on it. */
        OK,

        /** The transport works, but more slowly than possible, or a fault may recur. */
        WARNING,

        /** The transport cannot work on this host, or not with this device. */
        ERROR
    }

    public Finding {
        Objects.requireNonNull(level);
        if (remedy.isEmpty() != (level == Level.OK)) {
            throw new IllegalArgumentException(
                    "finding '"
                            + text
                            + "' of level "
                            + level
                            + (level == Level.OK
                                    ? " must not have a remedy: " + remedy
                                    : " needs a remedy"));
        }
    }
}
