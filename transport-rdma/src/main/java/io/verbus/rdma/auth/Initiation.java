// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.util.List;

/**
 * The half of a handshake that the side does which connects. It proves nothing before the other
 * side has.
 *
 * <pre>
 *   initiator ── challenge: its keys, nonce ──▶ acceptor
 *             ◀─ challenge: the key, nonce; proof of acceptance ──
 *             ── proof of the connection, then streams ──▶
 * </pre>
 */
public final class Initiation {
    private final List<Key> keys;
    private final Challenge challenge;

    /**
     * @param keys of the peer's network; none if none is needed there.
     */
    public Initiation(List<Key> keys) {
        this.keys = keys;
        challenge =
                keys.isEmpty()
                        ? Challenge.NONE
                        : Challenge.of(
                                keys.getFirst().id(), keys.size() > 1 ? keys.getLast().id() : 0);
    }

    /** For the peer. */
    public Challenge challenge() {
        return challenge;
    }

    /** Whether the peer must prove that it has a key. */
    public boolean isNeeded() {
        return !keys.isEmpty();
    }

    /**
     * Checks the peer's answer.
     *
     * @param version of the protocol in which the two speak.
     * @param own this side, with the challenge that the peer was told.
     * @param peer as it has answered.
     * @param proof of the peer.
     * @return the proof for the peer; null if that of the peer is wrong.
     */
    public Proof answer(int version, Side own, Side peer, Proof proof) {
        for (Key key : keys) {
            if (key.id() == peer.challenge().key()
                    && key.prove(Key.Purpose.ACCEPT, version, own, peer).isSame(proof)) {
                return key.prove(Key.Purpose.CONNECT, version, own, peer);
            }
        }
        return null;
    }
}
