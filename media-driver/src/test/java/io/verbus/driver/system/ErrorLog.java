// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.StrictDevice;
import io.verbus.cnc.CncFile;

import org.agrona.concurrent.errors.ErrorLogReader;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The distinct error log of a driver, from its directory, even if the driver was killed. */
final class ErrorLog {
    /** Parts of warnings about the network or adapter that the tests run on. */
    static final List<String> OF_NETWORK =
            StrictDevice.isThere()
                    ? List.of(
                            "uses path MTU",
                            "may place a later write before an earlier one",
                            "does not report the path of a connection",
                            "bytes inline instead of")
                    : List.of("uses path MTU");

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
            if (OF_NETWORK.stream().noneMatch(error::contains)
                    && expected.stream().noneMatch(error::contains)) {
                throw new AssertionError(
                        "unexpected error in the log of " + directory + ": " + error);
            }
        }
    }
}
