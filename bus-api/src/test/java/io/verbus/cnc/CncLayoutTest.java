// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Map;

class CncLayoutTest {
    @Test
    void diagramMatchesHeader() throws IOException {
        assertEquals(
                Map.ofEntries(
                        Map.entry("version", CncFile.VERSION),
                        Map.entry("to-driver length", CncFile.TO_DRIVER_LENGTH),
                        Map.entry("to-clients length", CncFile.TO_CLIENTS_LENGTH),
                        Map.entry("counter metadata length", CncFile.COUNTER_METADATA_LENGTH),
                        Map.entry("counter values length", CncFile.COUNTER_VALUES_LENGTH),
                        Map.entry("error log length", CncFile.ERROR_LOG_LENGTH),
                        Map.entry("client liveness timeout", CncFile.CLIENT_LIVENESS_TIMEOUT),
                        Map.entry("start time", CncFile.START_TIME),
                        Map.entry("process id", CncFile.PID),
                        Map.entry("page length", CncFile.PAGE_LENGTH),
                        Map.entry("driver id", CncFile.DRIVER_ID),
                        Map.entry("lets go", CncFile.LETS_GO)),
                LayoutPicture.offsets(CncFile.class));
    }
}
