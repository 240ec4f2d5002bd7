// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret shared by the hosts of a network. Its number identifies it and is not secret.
 * Thread-safe.
 */
public final class Key {
    /** Length of a secret in bytes. */
    static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;
    private final int id;

    /** Purpose of a proof, which is invalid for other purposes. */
    enum Purpose {
        /** The initiator proves that it may offer streams. */
        CONNECT("verbus rdma connect"),
        /** The accepting side proves that it has the key. */
        ACCEPT("verbus rdma accept"),
        /** A receiver proves an announcement at a control address. */
        ANNOUNCE("verbus rdma announce"),
        /** Derives the number of the key. */
        NUMBER("verbus key number");

        private final byte[] label;

        Purpose(String label) {
            this.label = label.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /**
     * @param bytes bytes of the secret.
     */
    Key(byte[] bytes) {
        secret = new SecretKeySpec(bytes, ALGORITHM);
        int number = (int) (code(Purpose.NUMBER, new byte[0]).first() >>> Integer.SIZE);
        id = number == 0 ? 1 : number;
    }

    /** Returns the number of the key; never 0. */
    public int id() {
        return id;
    }

    /** Returns the proof for a connection's handshake. */
    Proof prove(Purpose purpose, int version, Side initiator, Side acceptor) {
        ByteBuffer covered = ByteBuffer.allocate(Integer.BYTES + 2 * Side.LENGTH);
        covered.putInt(version);
        initiator.put(covered);
        acceptor.put(covered);
        return code(purpose, covered.array());
    }

    /** Returns the proof for an announcement. */
    public Proof announcement(byte[] covered) {
        return code(Purpose.ANNOUNCE, covered);
    }

    /** Returns the authentication code for a purpose and bytes. */
    Proof code(Purpose purpose, byte[] covered) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            mac.update((byte) purpose.label.length);
            mac.update(purpose.label);
            return Proof.of(mac.doFinal(covered));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("each JDK has " + ALGORITHM, impossible);
        }
    }

    /** Does not reveal the secret. */
    @Override
    public String toString() {
        return "key " + Integer.toHexString(id);
    }
}
