// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.util.List;

/** The half of a handshake that the side does which accepts; see {@link Initiation}. */
public final class Acceptance {
    /** Where no key is needed. */
    public static final Acceptance UNNEEDED = new Acceptance(null, Challenge.NONE);

    private final Key key;
    private final Challenge challenge;

    private Acceptance(Key key, Challenge challenge) {
        this.key = key;
        this.challenge = challenge;
    }

    /**
     * Answers a challenge.
     *
     * @param keys of the peer's network.
     * @param asked the peer's challenge.
     * @return null if the peer has none of the keys.
     */
    static Acceptance of(List<Key> keys, Challenge asked) {
        Key key = common(keys, asked);
        return key == null ? null : new Acceptance(key, Challenge.of(key.id(), 0));
    }

    /** The first of some keys that a peer has, too; null if it has none. */
    static Key common(List<Key> keys, Challenge asked) {
        for (Key key : keys) {
            if (key.id() == asked.key() || key.id() == asked.otherKey()) {
                return key;
            }
        }
        return null;
    }

    /** Whether the peer must prove that it has the key. */
    public boolean isNeeded() {
        return key != null;
    }

    /** For the peer. */
    public Challenge challenge() {
        return challenge;
    }

    /**
     * For the peer, with the challenge.
     *
     * @param version of the protocol in which the two speak.
     * @param initiator the peer.
     * @param own this side, with the challenge that the peer is told.
     */
    public Proof proof(int version, Side initiator, Side own) {
        return key == null ? Proof.NONE : key.prove(Key.Purpose.ACCEPT, version, initiator, own);
    }

    /** The proof that the peer owes; null if it owes none. Arguments as of {@link #proof}. */
    public Proof awaited(int version, Side initiator, Side own) {
        return key == null ? null : key.prove(Key.Purpose.CONNECT, version, initiator, own);
    }
}
