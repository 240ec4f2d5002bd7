// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/** What a log is for; the ordinal is its code in the log's metadata. */
public enum LogType {
    /** The log of a publication that many threads append to. */
    CONCURRENT_PUBLICATION,

    /** The log of a publication with a single writer. */
    EXCLUSIVE_PUBLICATION,

    /** The copy of a remote publication's log. */
    IMAGE;

    private static final LogType[] ALL = values();

    /** Code in the metadata. */
    byte code() {
        return (byte) ordinal();
    }

    /** The type of a code, or null. */
    static LogType of(byte code) {
        return code >= 0 && code < ALL.length ? ALL[code] : null;
    }
}
