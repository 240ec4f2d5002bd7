// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Map;

class CncLayoutTest {
    @Test
    void pictureShowsTheHeaderAsItIs() throws IOException {
        assertEquals(
                Map.of(
                        "magic", CncFile.MAGIC,
                        "version", CncFile.VERSION,
                        "to-driver length", CncFile.TO_DRIVER_LENGTH,
                        "to-clients length", CncFile.TO_CLIENTS_LENGTH,
                        "counter values length", CncFile.COUNTER_VALUES_LENGTH,
                        "error log length", CncFile.ERROR_LOG_LENGTH,
                        "driver id", CncFile.DRIVER_ID,
                        "process id", CncFile.PID,
                        "client liveness timeout", CncFile.CLIENT_LIVENESS_TIMEOUT),
                LayoutPicture.offsets(CncFile.class));
    }
}
