// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;

import org.agrona.concurrent.errors.ErrorLogReader;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints what a driver has recorded as errors, without traces, before its directory goes. */
public final class DriverErrors {
    private DriverErrors() {}

    /**
     * Prints them, if there are any.
     *
     * @param name of the driver, for people.
     * @param directory of the driver.
     * @param out to print to.
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
                                    "%s recorded, %d times: %s%n",
                                    name, count, error.lines().findFirst().orElse("")));
        } catch (BusException e) {
            out.println(name + ": " + e.getMessage());
        }
    }
}
