// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.driver.aeron.CProgram;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Programs of Aeron's C client, unmodified, publish and subscribe over RDMA. */
@EnabledIfEnvironmentVariable(
        named = CProgram.FOLDER,
        matches = ".+",
        disabledReason = CProgram.ABSENT)
@Tag("lab")
@Timeout(180)
class AeronCClientLabTest {
    private static final int PORT = 24_381;

    @Test
    void answersPingsOverRdma() {
        try (Host b = Host.b();
                Host a = Host.a()) {
            String ping = b.channel(PORT).replace("verbus:", "aeron:");
            String pong = a.channel(PORT + 1).replace("verbus:", "aeron:");
            try (CProgram echo =
                            CProgram.start(
                                    "cpong",
                                    b.directory(),
                                    "-c",
                                    ping,
                                    "-C",
                                    pong + "|interface=" + Host.addressB());
                    CProgram asker =
                            CProgram.start(
                                    "cping",
                                    a.directory(),
                                    "-c",
                                    Host.overWire(ping),
                                    "-C",
                                    pong,
                                    "-w",
                                    "10",
                                    "-m",
                                    "200")) {
                echo.awaitLine("Available image");
                asker.awaitLine("Total count    =          200]");
            }
        }
    }
}
