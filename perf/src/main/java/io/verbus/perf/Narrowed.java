// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.List;

/**
 * Changes the help of a command that takes fewer values of the common options than others: hides
 * options that it always refuses, so that the refusal still says why, and describes {@code
 * --length} as one number.
 */
abstract class Narrowed implements IModelTransformer {
    private static final String LENGTH = "--length";

    private final List<String> hidden;
    private final boolean hasOneLength;

    Narrowed(boolean hasOneLength, String... hidden) {
        this.hasOneLength = hasOneLength;
        this.hidden = List.of(hidden);
    }

    @Override
    public CommandSpec transform(CommandSpec spec) {
        hidden.forEach(name -> replace(spec, builder(spec, name).hidden(true)));
        if (hasOneLength) {
            replace(
                    spec,
                    builder(spec, LENGTH)
                            .hideParamSyntax(true)
                            .description(
                                    "Message length in bytes (default: 32). Published benchmarks"
                                            + " use 32, 288 and 1344."));
        }
        return spec;
    }

    private static OptionSpec.Builder builder(CommandSpec spec, String name) {
        return OptionSpec.builder(spec.findOption(name));
    }

    private static void replace(CommandSpec spec, OptionSpec.Builder option) {
        OptionSpec changed = option.build();
        spec.remove(spec.findOption(changed.longestName()));
        spec.addOption(changed);
    }

    /** Measurements over shared memory in one process. */
    static final class SharedMemory extends Narrowed {
        SharedMemory() {
            super(
                    true,
                    "--transport",
                    "--processes",
                    "--drivers",
                    "--local",
                    "--remote",
                    "--port",
                    "--server");
        }
    }

    /** Measurements on one host. */
    static final class OneHost extends Narrowed {
        OneHost() {
            super(false, "--server");
        }
    }

    /** Measurements of one length. */
    static final class OneLength extends Narrowed {
        OneLength() {
            super(true);
        }
    }
}
