// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that the workflows have only known fields and run only existing programs, and that
 * dependencies of the workflows and the image are pinned.
 */
class WorkflowFilesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path FOLDER = ROOT.resolve(".github");

    /** Program of the repository in a command. */
    private static final Pattern PROGRAM = Pattern.compile("(?:^|\\s)((?:\\./|tools/)[\\w/-]+)");

    record Workflow(
            String name,
            JsonNode on,
            Map<String, String> permissions,
            Concurrency concurrency,
            Map<String, Job> jobs) {}

    record Concurrency(String group, @JsonProperty("cancel-in-progress") boolean cancels) {}

    record Job(
            String name,
            String needs,
            String uses,
            @JsonProperty("runs-on") String runsOn,
            @JsonProperty("timeout-minutes") Integer timeoutMinutes,
            Map<String, String> permissions,
            Strategy strategy,
            List<Step> steps) {}

    record Strategy(
            @JsonProperty("fail-fast") boolean failsFast, Map<String, List<String>> matrix) {}

    record Step(
            String uses,
            String run,
            @JsonProperty("if") String condition,
            Map<String, String> with,
            Map<String, String> env) {}

    record Updates(int version, List<Update> updates) {}

    record Update(
            @JsonProperty("package-ecosystem") String ecosystem,
            String directory,
            Map<String, String> schedule,
            Map<String, Map<String, List<String>>> groups) {}

    @ParameterizedTest
    @ValueSource(strings = {"test", "release"})
    void workflowsRunOnlyExistingPrograms(String name) {
        Workflow workflow = workflow(name);
        assertEquals(name, workflow.name());
        assertEquals(Map.of("contents", "read"), workflow.permissions());
        workflow.jobs().forEach(WorkflowFilesTest::check);
    }

    private static void check(String name, Job job) {
        if (job.uses() != null) {
            assertTrue(Files.exists(ROOT.resolve(job.uses())), job.uses());
            return;
        }
        assertEquals("ubuntu-24.04", job.runsOn(), name);
        assertTrue(job.timeoutMinutes() <= 90, name);
        for (Step step : job.steps()) {
            assertTrue(
                    (step.uses() == null) != (step.run() == null),
                    "a step has either uses or" + " run");
            if (step.run() == null) {
                assertTrue(step.uses().matches("actions/[\\w-]+@[0-9a-f]{40}"), step.uses());
            } else {
                checkPrograms(step.run());
            }
        }
    }

    private static void checkPrograms(String commands) {
        Matcher matcher = PROGRAM.matcher(commands);
        while (matcher.find()) {
            Path program = ROOT.resolve(matcher.group(1));
            assertTrue(Files.isExecutable(program), program + " is not executable");
        }
    }

    @Test
    void stagesMatchStagesOfCiRun() throws IOException {
        List<String> stages = workflow("test").jobs().get("stage").strategy().matrix().get("stage");
        String run = Files.readString(ROOT.resolve(".ci/run"));
        assertTrue(run.contains(" test --stage " + String.join(",", stages) + "\n"), run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"test", "release"})
    void actionsArePinnedByCommitWithVersionComment(String name) throws IOException {
        for (String line : Files.readAllLines(FOLDER.resolve("workflows/" + name + ".yml"))) {
            if (line.contains("uses: actions/")) {
                assertTrue(line.matches(".*@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"), line);
            }
        }
    }

    @Test
    void imageIsPinnedByDigest() throws IOException {
        List<String> bases =
                Files.readAllLines(ROOT.resolve("deploy/container/Containerfile")).stream()
                        .filter(line -> line.startsWith("FROM "))
                        .toList();
        assertEquals(1, bases.size());
        assertTrue(bases.getFirst().matches("FROM [\\w:.-]+@sha256:[0-9a-f]{64}"), "" + bases);
    }

    @Test
    void unitFileCreatesDirectoryOfAuditLog() throws IOException {
        String unit = Files.readString(ROOT.resolve("deploy/systemd/verbus-driver.service"));
        assertTrue(unit.contains("\nLogsDirectory=verbus\n"), unit);
    }

    @Test
    void updatesCoverMavenWorkflowsAndImage() {
        Updates updates = StrictYaml.read(FOLDER.resolve("dependabot.yml"), Updates.class);
        assertEquals(2, updates.version());
        assertEquals(
                List.of("maven", "github-actions", "docker"),
                updates.updates().stream().map(Update::ecosystem).toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs: {a: {run-on: ubuntu-24.04}}",
                "jobs: {a: {steps: [{runs: ls}]}}",
                "name: a\nname: b",
                "jobs: [a]",
            })
    void rejectsUnknownField(String wrong) {
        assertThrows(UncheckedIOException.class, () -> StrictYaml.parse(wrong, Workflow.class));
    }

    private static Workflow workflow(String name) {
        return StrictYaml.read(FOLDER.resolve("workflows").resolve(name + ".yml"), Workflow.class);
    }
}
