// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverOption;
import io.verbus.driver.config.DriverOptions;
import io.verbus.transport.Option;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks the options of the driver and all transports, and {@code docs/reference/options.md}, which
 * is generated from them. With {@code -Dhelp.write=true}, writes the page.
 */
class OptionsPageTest {
    private static final Path PAGE = Path.of("../docs/reference/options.md");

    /** Placeholder defaults: unset, or a name that depends on the user. */
    private static final Set<String> WITHOUT_DEFAULT =
            Set.of("directory-group", "log-directory", "metrics", "resolver.bootstrap-neighbor");

    private static final int MAX_LINE = 140;

    private static Stream<Option<?>> all() {
        return Stream.concat(
                DriverOptions.ALL.stream().map(DriverOption::option),
                MediaDriver.presentOptions().stream());
    }

    private static String page() {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Options of the media driver

                        Set an option in a properties file (`term-length=1m`), by an environment variable (`VERBUS_TERM_LENGTH`), by a system
                        property (`verbus.term-length`), or on the command line (`--term-length`); later sources in this list override earlier ones.
                        `MediaDriver.launch` takes the options from a `DriverConfig`. The driver reads all options when it starts, including those of
                        transports, and rejects a wrong value with the valid range. `./verbus driver --help` has the same list.

                        Lengths take the suffixes `k`, `m` and `g`; times take `ns`, `us`, `ms` and `s`.
                        """);
        String group = null;
        for (Option<?> option : all().toList()) {
            String first = option.name().replaceAll("\\..*", "");
            String of = first.equals("udp") || first.equals("rdma") ? first : "driver";
            if (!of.equals(group)) {
                page.append("\n## ").append(title(of)).append("\n\n");
                group = of;
            }
            String name = "**`" + option.name() + "`**";
            boolean isLong = name.length() + option.help().length() >= MAX_LINE;
            page.append(name).append(isLong ? "\n" : " ").append(option.help());
            page.append("\n\n- values: ").append(option.values());
            page.append("\n- default: `").append(option.preset()).append("`\n\n");
        }
        return page.toString().strip() + "\n";
    }

    private static String title(String group) {
        return switch (group) {
            case "rdma" -> "RDMA";
            case "udp" -> "UDP";
            default -> "Driver";
        };
    }

    @Test
    void pageMatchesOptions() throws IOException {
        if (Boolean.getBoolean("help.write")) {
            Files.writeString(PAGE, page());
        }
        assertEquals(
                page(),
                Files.readString(PAGE),
                "write docs/reference/options.md again with: ./verbus test -Dhelp.write=true"
                        + " -Dtest='*PageTest' -Dsurefire.failIfNoSpecifiedTests=false");
    }

    @ParameterizedTest
    @MethodSource("all")
    void optionHasValidDefaultHelpAndRange(Option<?> option) {
        if (!WITHOUT_DEFAULT.contains(option.name())) {
            assertDoesNotThrow(() -> option.parse(option.preset()));
        }
        assertTrue(option.help().matches("(?s)[A-Z].*[.]"), option.help());
        String what = "it must be " + option.range();
        boolean isOfNetworks =
                Set.of("rdma.allow", "rdma.networks", "udp.allow").contains(option.name());
        if (!option.range().startsWith("the ") && !isOfNetworks) {
            Exception wrong =
                    assertThrows(IllegalArgumentException.class, () -> option.parse("-2 parsecs"));
            assertEquals(what, wrong.getMessage());
        }
    }

    @Test
    void optionNamesAreUnique() {
        List<String> names = all().<String>map(Option::name).toList();
        assertEquals(names.stream().distinct().toList(), names);
    }
}
