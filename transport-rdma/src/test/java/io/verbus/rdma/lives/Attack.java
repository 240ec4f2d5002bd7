// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Sends junk through queue pairs: messages, and writes to memory that the peer has not offered. */
final class Attack {
    private static final int PIECE = 512;
    private static final int PIECES = 8;

    private final Random random;

    /** Not freed before the fabrics are closed. */
    private final List<ByteBuffer> sources = new ArrayList<>();

    Attack(Random random) {
        this.random = random;
    }

    /**
     * Posts some messages and writes, as far as the queue pair has room.
     *
     * @param connection an established connection.
     */
    void post(Connection connection) {
        QueuePair queuePair = connection.queuePair();
        if (queuePair == null || connection.domain() == null) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocateDirect(PIECE * PIECES);
        UnsafeBuffer source = new UnsafeBuffer(bytes);
        sources.add(bytes);
        RegisteredMemory region =
                connection
                        .domain()
                        .register(source.addressOffset(), source.capacity(), Access.LOCAL_READ);
        for (int i = 1 + random.nextInt(PIECES - 1); i > 0; i--) {
            if (random.nextInt(6) == 0) {
                stageWrite(queuePair, source.addressOffset(), region.localKey());
            } else if (queuePair.free() > 1 && queuePair.canSend()) {
                byte[] message = Junk.message(random);
                source.putBytes(i * PIECE, message);
                queuePair.stageSend(
                        source.addressOffset() + (long) i * PIECE,
                        message.length,
                        region.localKey());
            }
        }
        queuePair.post(true);
    }

    private void stageWrite(QueuePair queuePair, long address, LocalKey key) {
        if (queuePair.free() > 1) {
            RemoteKey guess = new RemoteKey(random.nextInt());
            queuePair.stageWrite(address, random.nextInt(PIECE), key, random.nextLong(), guess);
        }
    }
}
