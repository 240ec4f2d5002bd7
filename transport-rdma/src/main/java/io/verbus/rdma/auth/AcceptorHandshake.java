// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.util.List;

/** The accepting side's part of a handshake; see {@link InitiatorHandshake}. */
public final class AcceptorHandshake {
    /** Acceptance without a key. */
    public static final AcceptorHandshake UNNEEDED = new AcceptorHandshake(null, Challenge.NONE);

    private final Key key;
    private final Challenge challenge;

    private AcceptorHandshake(Key key, Challenge challenge) {
        this.key = key;
        this.challenge = challenge;
    }

    /**
     * Answers a challenge.
     *
     * @param keys keys of the peer's network.
     * @param asked challenge of the peer.
     * @return the acceptance, or null if the peer has none of the keys.
     */
    static AcceptorHandshake of(List<Key> keys, Challenge asked) {
        Key key = common(keys, asked);
        return key == null ? null : new AcceptorHandshake(key, Challenge.of(key.id(), 0));
    }

    /** Returns the first of the keys that the peer also has; null if there is none. */
    static Key common(List<Key> keys, Challenge asked) {
        for (Key key : keys) {
            if (key.id() == asked.key() || key.id() == asked.otherKey()) {
                return key;
            }
        }
        return null;
    }

    /** Returns whether the peer must prove that it has the key. */
    public boolean isNeeded() {
        return key != null;
    }

    /** Returns the challenge for the peer. */
    public Challenge challenge() {
        return challenge;
    }

    /**
     * Returns the proof for the peer, to send with the challenge.
     *
     * @param version protocol version common to the two drivers.
     * @param initiator the peer.
     * @param own this side, with the challenge for the peer.
     */
    public Proof proof(int version, Side initiator, Side own) {
        return key == null ? Proof.NONE : key.prove(Key.Purpose.ACCEPT, version, initiator, own);
    }

    /**
     * Returns the proof that the peer must send, or null if it need not. Takes the arguments of
     * {@link #proof}.
     */
    public Proof awaited(int version, Side initiator, Side own) {
        return key == null ? null : key.prove(Key.Purpose.CONNECT, version, initiator, own);
    }
}
