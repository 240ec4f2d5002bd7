// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools.usage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.tools.ToolRun;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the completion script in bash, as a shell does when a user presses the tabulator key. */
@Timeout(60)
class CompletionTest {
    @TempDir Path folder;

    private List<String> completions(String... words) throws Exception {
        ToolRun run = ToolRun.of("completion", "bash");
        assertEquals(0, run.status(), run.err());
        Path script = Files.writeString(folder.resolve("completion"), run.out());
        StringBuilder quoted = new StringBuilder();
        Arrays.stream(words).forEach(word -> quoted.append(" '").append(word).append('\''));
        String commands =
                // bash has compopt only while it completes.
                "compopt() { :; }; source %s; COMP_WORDS=(verbus%s); COMP_CWORD=%d; _complete_verbus;"
                                .formatted(script, quoted, words.length)
                        + " printf '%s\\n' \"${COMPREPLY[@]}\"";
        Process bash =
                new ProcessBuilder("bash", "--norc", "-c", commands)
                        .redirectErrorStream(true)
                        .start();
        String out = new String(bash.getInputStream().readAllBytes());
        assertTrue(bash.waitFor(30, TimeUnit.SECONDS));
        return out.lines().map(String::strip).toList();
    }

    @Test
    void completesCommands() throws Exception {
        List<String> commands = completions("st");
        assertTrue(commands.containsAll(List.of("stat", "streams")), commands.toString());
        assertFalse(commands.contains("driver"), commands.toString());
        assertEquals(List.of("clients"), completions("cl"));
        assertEquals(List.of("help"), completions("he"));
    }

    @Test
    void completesOptions() throws Exception {
        assertEquals(List.of("--term-length"), completions("driver", "--term-"));
        List<String> options = completions("clients", "--");
        assertTrue(options.containsAll(List.of("--dir", "--json", "--help")), options.toString());
    }

    @Test
    void zshScriptLoadsBashCompletion() {
        ToolRun run = ToolRun.of("completion", "zsh");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("bashcompinit"), "zsh needs it");
    }

    @Test
    void rejectsOtherShells() {
        ToolRun run = ToolRun.of("completion", "fish");
        assertEquals(2, run.status());
        assertEquals(
                "verbus: there is no completion for shell 'fish': use bash or zsh: see verbus"
                        + " completion --help\n",
                run.err());
    }
}
