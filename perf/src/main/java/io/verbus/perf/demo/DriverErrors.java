// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;

import org.agrona.concurrent.errors.ErrorLogReader;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints a driver's recorded errors, without stack traces, before its directory is deleted. */
public final class DriverErrors {
    private DriverErrors() {}

    /**
     * Prints the errors, if there are any.
     *
     * @param name display name of the driver.
     * @param directory directory of the driver.
     * @param out destination.
     */
    public static void print(String name, Path directory, PrintStream out) {
        Path file = directory.resolve(CncFile.NAME);
        if (!Files.exists(file)) {
            return;
        }
        try (CncFile cnc = CncFile.map(file)) {
            ErrorLogReader.read(
                    cnc.errorLog(),
                    (count, first, last, error) ->
                            out.printf(
                                    "%s recorded an error %d times: %s%n",
                                    name, count, error.lines().findFirst().orElse("")));
        } catch (BusException e) {
            out.println(name + ": " + e.getMessage());
        }
    }
}
