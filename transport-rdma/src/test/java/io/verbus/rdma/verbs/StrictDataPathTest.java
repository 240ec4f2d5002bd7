// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.StrictDevice;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Work requests on each kind of adapter that the strict device plays. */
@Tag("lab")
@Tag("strict")
@Timeout(60)
class StrictDataPathTest {
    private Lab lab;

    @AfterEach
    void close() {
        try {
            lab.close();
        } finally {
            StrictDevice.profile(null);
        }
    }

    private Lab.Pair connect(String profile) {
        StrictDevice.profile(profile);
        lab = new Lab();
        return lab.connectTo(lab.listen());
    }

    /** A slot of the send queue still holds the pieces of the request before. */
    @ParameterizedTest
    @ValueSource(strings = {"ib", "mlx5", "irdma", "bnxt", "mana", "small"})
    void probesAfterBatchThatUsedTheSlot(String profile) {
        Lab.Pair pair = connect(profile);
        RegisteredMemory source = lab.register(pair.a(), 4096, Access.LOCAL_READ);
        RegisteredMemory target = lab.register(pair.b(), 4096, Access.REMOTE_WRITE);
        QueuePair qp = pair.a().queuePair();
        Lab.Inbox inbox = new Lab.Inbox();
        qp.stageWrite(
                source.address() + 8,
                56,
                source.localKey(),
                source.address() + 1024,
                8,
                source.localKey(),
                target.address() + 8,
                target.remoteKey());
        qp.post(true);

        long probe = qp.stageProbe();
        qp.post(true);
        Await.until(
                "the probe's answer",
                () -> qp.answered() >= probe || !inbox.failures.isEmpty(),
                () -> qp.poll(inbox));

        assertEquals(List.of(), inbox.failures);
    }
}
