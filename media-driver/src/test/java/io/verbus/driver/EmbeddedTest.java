// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.driver.udp.UdpInteropTest;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A program embeds the driver, and has Agrona twice on its class path: the driver's, and the copy
 * inside Aeron's jar.
 */
@Timeout(120)
class EmbeddedTest {
    /** The class path of the tests, with Aeron's jar or the other Agrona's first. */
    private static String classPath(boolean isAeronFirst) {
        String first = isAeronFirst ? "aeron-all" : "agrona-";
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .sorted(Comparator.comparing(path -> !new File(path).getName().startsWith(first)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void worksWithEitherAgronaFirstOnClassPath(boolean isAeronFirst) throws IOException {
        try (ChildProcess child =
                ChildProcess.start(
                        List.of(),
                        classPath(isAeronFirst),
                        EmbeddedChild.class,
                        "aeron:ipc?term-length=64k",
                        "aeron:udp?endpoint=127.0.0.1:"
                                + UdpInteropTest.freePort()
                                + "|term-length=64k")) {
            String agrona = child.awaitLine("agrona: ");
            assertEquals(isAeronFirst, agrona.contains("aeron-all"), agrona);
            child.awaitLine("received: 10000");
            child.awaitLine("received: 10000");
            assertEquals("errors: []", child.awaitLine("errors: "));
            assertEquals(0, child.awaitExit());
        }
    }
}
