// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/**
 * Random lives on the strict device, whose calls fail or take long, which is removed and returns,
 * and whose connections break; drivers are killed.
 */
@Tag("lab")
@Tag("strict")
class RandomLifeLabTest {
    private static final int LIVES = 12;
    private static final int EVENTS = 40;

    @TempDir Path directory;

    @Test
    void everyStreamFlowsAndIsReleasedAfterRandomFaults() {
        Lives.run(LIVES, this::live);
    }

    private void live(long seed) {
        try (DeviceNet net = new DeviceNet(seed, directory, Lives.options(seed))) {
            new RandomLife(net).live(EVENTS);
        }
    }
}
