// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;

@Timeout(60)
class ComingAndGoingTest {
    @Test
    void measuresWaitsOfOtherClient() {
        ComingAndGoing streams = new ComingAndGoing(1024 * 1024);
        streams.run(Duration.ofSeconds(2));
        String table = streams.table();
        assertTrue(
                table.matches(
                        "(?s)added and closed [1-9][0-9,]* streams with terms of 1,048,576"
                                + " bytes.*"),
                table);
        for (String row :
                new String[] {
                    "another client's answer", "its publisher limit", "from heartbeat to heartbeat"
                }) {
            assertTrue(table.matches("(?s).*" + row + " +[1-9].*"), table);
        }
    }
}
