// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

/**
 * Session of the response publication that a response subscription waits for. Used by the
 * conductor's thread.
 */
public final class AwaitedSession {
    private boolean isKnown;
    private int sessionId;

    public boolean isKnown() {
        return isKnown;
    }

    /** Returns the session id, once it is known. */
    public int sessionId() {
        return sessionId;
    }

    /** Returns whether the given session is the awaited one. */
    public boolean is(int otherSessionId) {
        return isKnown && sessionId == otherSessionId;
    }

    public void know(int responseSessionId) {
        isKnown = true;
        sessionId = responseSessionId;
    }
}
