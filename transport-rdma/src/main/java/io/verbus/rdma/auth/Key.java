// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that the hosts of a network share. Its number tells it from others and is no secret. Any
 * thread.
 */
public final class Key {
    /** Bytes of a secret. */
    static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;
    private final int id;

    /** What is proved; a proof of one is none of another. */
    enum Purpose {
        /** Of the initiator, that it may offer streams. */
        CONNECT("verbus rdma connect"),
        /** Of the side that accepts. */
        ACCEPT("verbus rdma accept"),
        /** Of a receiver at a control address. */
        ANNOUNCE("verbus rdma announce"),
        /** The number of the key. */
        NUMBER("verbus key number");

        private final byte[] label;

        Purpose(String label) {
            this.label = label.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /**
     * @param bytes of the secret.
     */
    Key(byte[] bytes) {
        secret = new SecretKeySpec(bytes, ALGORITHM);
        int number = (int) (code(Purpose.NUMBER, new byte[0]).first() >>> Integer.SIZE);
        id = number == 0 ? 1 : number;
    }

    /** Its number, which is never 0. */
    public int id() {
        return id;
    }

    /** Proves a connection's handshake. */
    Proof prove(Purpose purpose, int version, Side initiator, Side acceptor) {
        ByteBuffer covered = ByteBuffer.allocate(Integer.BYTES + 2 * Side.LENGTH);
        covered.putInt(version);
        initiator.put(covered);
        acceptor.put(covered);
        return code(purpose, covered.array());
    }

    /** Proves an announcement. */
    public Proof announcement(byte[] covered) {
        return code(Purpose.ANNOUNCE, covered);
    }

    /** The code of a purpose and bytes. */
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

    /** Says nothing of the secret. */
    @Override
    public String toString() {
        return "key " + Integer.toHexString(id);
    }
}
