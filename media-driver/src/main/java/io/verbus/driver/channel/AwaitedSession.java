// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

/**
 * The session that a subscription to responses takes, which is known when a publication responds.
 * Conductor's thread.
 */
public final class AwaitedSession {
    private boolean isKnown;
    private int sessionId;

    public boolean isKnown() {
        return isKnown;
    }

    /** The session, once it is known. */
    public int sessionId() {
        return sessionId;
    }

    /** Whether it is this session. */
    public boolean is(int otherSessionId) {
        return isKnown && sessionId == otherSessionId;
    }

    public void know(int responseSessionId) {
        isKnown = true;
        sessionId = responseSessionId;
    }
}
