// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Checks options of {@code verbus report} that exclude each other. */
class ReportCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --minutes 0 | --minutes takes a number from 1
                    --from 10.0.0.1 | give both options or neither
                    --serve 10.0.0.2:1 | --serve needs --for
                    --for 10.0.0.1 | --serve needs --for
                    --serve 10.0.0.2:1 --for 10.0.0.1 --from 10.0.0.2 --to 10.0.0.2 | omit --from
                    --server 10.0.0.2:1 | --server needs --from and --to
                    --server 10.0.0.2:1 --serve 10.0.0.1:1 --for 10.0.0.2 | cannot be combined with
                    """)
    void rejectsWrongOptionsWithRemedy(String arguments, String remedy) {
        StringWriter said = new StringWriter();
        CommandLine line = new CommandLine(new ReportCommand());
        line.setErr(new PrintWriter(said, true));
        assertEquals(CommandLine.ExitCode.USAGE, line.execute(arguments.split(" ")));
        assertTrue(said.toString().contains(remedy), said.toString());
    }
}
