// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.exceptions.RegistrationException;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks the table of Aeron's channel values in {@code docs/reference/channels.md} by adding each
 * row's channel to Aeron's driver and to Verbus.
 */
@Timeout(180)
class AeronChannelTableTest {
    private static final Path PAGE = Path.of("../docs/reference/channels.md");
    private static final int STREAM = 10;

    @TempDir Path directory;

    /** A row: its channel without an endpoint, the side, and whether each driver rejects it. */
    private record Row(String keys, boolean isPublished, boolean aeron, boolean verbus) {
        static Row of(String line) {
            List<String> cells =
                    Arrays.stream(line.split("(?<!\\\\)\\|")).map(String::strip).toList();
            return new Row(
                    cells.get(1).replace("`", "").replace("\\|", "|"),
                    cells.get(2).equals("publication"),
                    cells.get(3).startsWith("refused"),
                    cells.get(4).startsWith("refused"));
        }

        boolean isRefusedBy(Aeron client, int port) {
            String channel = "aeron:udp?endpoint=127.0.0.1:" + port + "|" + keys;
            try {
                if (isPublished) {
                    client.addExclusivePublication(channel, STREAM).close();
                } else {
                    client.addSubscription(channel, STREAM).close();
                }
                return false;
            } catch (RegistrationException refused) {
                return true;
            }
        }
    }

    private static List<Row> rows() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf("<!-- aeron -->"), page.indexOf("<!-- end of aeron -->"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(Row::of)
                .toList();
    }

    @Test
    void bothDriversAcceptAndRejectChannelsAsListed() throws IOException {
        List<Row> rows = rows();
        assertTrue(rows.size() > 20, "rows: " + rows.size());
        List<String> wrong = new ArrayList<>();
        try (AeronPeer peer = new AeronPeer(directory.resolve("aeron"));
                MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
                Aeron client =
                        Aeron.connect(
                                new Aeron.Context()
                                        .aeronDirectoryName(driver.directory().toString())
                                        .errorHandler(_ -> {}))) {
            for (Row row : rows) {
                if (row.isRefusedBy(peer.client(), UdpInteropTest.freePort()) != row.aeron()) {
                    wrong.add("Aeron: " + row);
                }
                if (row.isRefusedBy(client, UdpInteropTest.freePort()) != row.verbus()) {
                    wrong.add("Verbus: " + row);
                }
            }
        }
        assertEquals(List.of(), wrong);
    }
}
