// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.cnc.CncFile;

import org.agrona.concurrent.errors.ErrorLogReader;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The distinct error log of a driver, from its directory, even if the driver was killed. */
final class ErrorLog {
    /** Part of a warning about the test network, not about a driver. */
    static final String OF_NETWORK = "uses the path MTU";

    private ErrorLog() {}

    /** First line of each error: its type and message. */
    static List<String> read(Path directory) {
        List<String> errors = new ArrayList<>();
        CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME));
        try {
            ErrorLogReader.read(
                    cnc.errorLog(),
                    (count, first, last, text) ->
                            errors.add(text.lines().findFirst().orElse(text)));
        } finally {
            cnc.close();
        }
        return errors;
    }

    /** Fails if the log holds an error that contains none of the texts. */
    static void assertOnly(Path directory, List<String> expected) {
        for (String error : read(directory)) {
            if (!error.contains(OF_NETWORK) && expected.stream().noneMatch(error::contains)) {
                throw new AssertionError(
                        "unexpected error in the log of " + directory + ": " + error);
            }
        }
    }
}
