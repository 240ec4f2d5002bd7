// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class ProcFileTest {
    @Test
    void readsWholeKernelSetting() throws IOException {
        Path setting = Path.of("/proc/sys/vm/max_map_count");
        String value = ProcFile.read(setting);
        assertEquals(Files.readAllLines(setting).getFirst(), value);
        assertTrue(Integer.parseInt(value) > 9, value);
    }
}
