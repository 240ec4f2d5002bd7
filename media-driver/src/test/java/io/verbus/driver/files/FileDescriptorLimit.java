// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.directory.DriverFile;
import io.verbus.directory.FileStores;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Program without free descriptors that queries file systems. Argument: a directory. */
public final class FileDescriptorLimit {
    private static final long LENGTH = 200_000;

    private FileDescriptorLimit() {}

    public static void main(String[] args) {
        Path directory = Path.of(args[0]);
        DriverDirectory driver = DriverDirectory.open(directory);
        List<Supplier<String>> questions =
                List.of(
                        () -> DriverFile.remedy(directory.resolve("file")),
                        () -> failure(driver::fileSystem),
                        () -> failure(() -> new LogSpace().promise(directory, LENGTH)),
                        () -> failure(() -> LogSpace.take(directory.resolve("log"), 0, 1)));
        FileStores.problem(new IOException());
        questions.forEach(Supplier::get); // loads the classes, which also takes descriptors
        List<FileInputStream> open = new ArrayList<>();
        try {
            while (true) {
                open.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException exhausted) {
            questions.forEach(question -> System.out.println("answer: " + question.get()));
        }
        System.exit(0);
    }

    private static String failure(Runnable question) {
        try {
            question.run();
            return "no failure";
        } catch (BusException e) {
            return e.getMessage();
        }
    }
}
