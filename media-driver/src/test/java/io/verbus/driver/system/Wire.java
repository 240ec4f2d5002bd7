// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The lab's wire and its faults, set by the command {@code wire}. */
final class Wire {
    private Wire() {}

    static boolean isHere() {
        return "1".equals(System.getenv("VERBUS_LAB"));
    }

    static void assumeHere() {
        assumeTrue(isHere(), "only the lab has a wire to cut");
    }

    /**
     * Whether devices live through a link that loses its carrier under traffic. Those of rxe do on
     * Linux 6.1; on 6.12 and 7.3 no peer connects afterwards until the device is made anew.
     */
    static boolean allowsFlaps() {
        return !Files.exists(Path.of("/sys/class/infiniband/rxe1"))
                || System.getProperty("os.version").startsWith("6.1.");
    }

    static void cut() {
        run("cut");
    }

    static void lose(int percent) {
        run("loss", Integer.toString(percent));
    }

    /** Delays every packet, in each direction. */
    static void delay(int ms) {
        run("delay", Integer.toString(ms));
    }

    /** Removes the carrier from both ends for the given time. */
    static void flap(long millis) {
        run("flap", "%d.%03d".formatted(millis / 1000, millis % 1000));
    }

    /** Ends all faults. */
    static void restore() {
        run("restore");
    }

    private static void run(String... fault) {
        List<String> command = new ArrayList<>(List.of(fault));
        command.add(0, "wire");
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            byte[] output = process.getInputStream().readAllBytes();
            assertEquals(0, process.waitFor(), new String(output, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(command + " cannot be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted in " + command, e);
        }
    }
}
