// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * A side of a connection as both sides see it. Each proof covers all values of both sides, so that
 * no one in between can alter them or use a proof at another address.
 *
 * @param address address of the host on this connection.
 * @param lowestVersion lowest protocol version that the driver speaks.
 * @param highestVersion highest protocol version that the driver speaks.
 * @param driverId id of the driver.
 * @param challenge challenge of the side.
 */
public record Side(
        InetAddress address,
        int lowestVersion,
        int highestVersion,
        long driverId,
        Challenge challenge) {
    /** Encoded length in bytes: address 17, versions 4 each, driver id 8, keys 4 each, nonce 16. */
    static final int LENGTH = 57;

    private static final int ADDRESS_LENGTH = 16;

    void put(ByteBuffer buffer) {
        byte[] host = address.getAddress();
        buffer.put((byte) host.length).put(host).put(new byte[ADDRESS_LENGTH - host.length]);
        buffer.putInt(lowestVersion).putInt(highestVersion).putLong(driverId);
        buffer.putInt(challenge.key()).putInt(challenge.otherKey());
        buffer.putLong(challenge.nonceHigh()).putLong(challenge.nonceLow());
    }
}
