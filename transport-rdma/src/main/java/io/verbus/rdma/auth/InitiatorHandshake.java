// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.util.List;

/**
 * The connecting side's part of a handshake. It proves nothing before the other side has.
 *
 * <pre>
 *   initiator ── challenge: its keys, nonce ──▶ acceptor
 *             ◀─ challenge: the key, nonce; proof of acceptance ──
 *             ── proof of the connection, then streams ──▶
 * </pre>
 */
public final class InitiatorHandshake {
    private final List<Key> keys;
    private final Challenge challenge;

    /**
     * @param keys keys of the peer's network; empty if it needs none.
     */
    public InitiatorHandshake(List<Key> keys) {
        this.keys = keys;
        challenge =
                keys.isEmpty()
                        ? Challenge.NONE
                        : Challenge.of(
                                keys.getFirst().id(), keys.size() > 1 ? keys.getLast().id() : 0);
    }

    /** Returns the challenge for the peer. */
    public Challenge challenge() {
        return challenge;
    }

    /** Returns whether the peer must prove that it has a key. */
    public boolean isNeeded() {
        return !keys.isEmpty();
    }

    /**
     * Checks the peer's answer.
     *
     * @param version protocol version common to the two drivers.
     * @param own this side, with the challenge sent to the peer.
     * @param peer the peer, with the challenge of its answer.
     * @param proof proof of the peer.
     * @return the proof for the peer; null if the peer's proof is wrong.
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
