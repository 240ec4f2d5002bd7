// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/** The type of a log; the ordinal is its code in the log's metadata. */
public enum LogType {
    /** The log of a publication with several writers. */
    CONCURRENT_PUBLICATION,

    /** The log of a publication with a single writer. */
    EXCLUSIVE_PUBLICATION,

    /** The copy of a remote publication's log. */
    IMAGE;

    private static final LogType[] ALL = values();

    /** Returns the code in the metadata. */
    byte code() {
        return (byte) ordinal();
    }

    /** Returns the type with the given code, or null if the code is unknown. */
    static LogType of(byte code) {
        return code >= 0 && code < ALL.length ? ALL[code] : null;
    }
}
