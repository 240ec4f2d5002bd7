// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Finds the number of lines of this process's terminal, using stty(1). */
final class TerminalHeight {
    private TerminalHeight() {}

    /**
     * Returns the height.
     *
     * @param preset default if the height is unknown.
     */
    static int lines(int preset) {
        try {
            Process stty =
                    new ProcessBuilder("stty", "size")
                            .redirectInput(ProcessBuilder.Redirect.INHERIT)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String size =
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (!stty.waitFor(1, TimeUnit.SECONDS)) {
                stty.destroyForcibly();
            }
            int lines = Integer.parseInt(size.strip().split(" ")[0]);
            return lines > 2 ? lines : preset;
        } catch (IOException | NumberFormatException untold) {
            return preset; // no stty, or the terminal has no size
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return preset;
        }
    }
}
