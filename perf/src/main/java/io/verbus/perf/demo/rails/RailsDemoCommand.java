// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.rails;

import io.verbus.BusException;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.NetworkOptions;
import io.verbus.perf.process.Lab;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Runs {@code verbus demo rails}. */
@Command(
        name = "rails",
        mixinStandardHelpOptions = true,
        description = {
            "Sends one stream over two networks at once to a subscriber with one image. Each"
                    + " network fails and returns in turn; every message must arrive exactly"
                    + " once.",
            "In the lab, the wire of the network is cut; elsewhere, the publisher stops sending"
                    + " over that network. UDP uses 127.0.0.1 and 127.0.0.2 unless addresses are"
                    + " given."
        })
public final class RailsDemoCommand implements Callable<Integer> {
    private static final int MAX_RATE = 100_000;
    private static final int RATE = 2_000;
    private static final int LAB_RATE = 200;

    /** Ends of the lab's wire: two for each rail. */
    private static final int ENDS = 4;

    @Spec private CommandSpec spec;

    @Mixin private NetworkOptions options;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description =
                    "Rate in messages per second (default: "
                            + RATE
                            + "; in the lab "
                            + LAB_RATE
                            + ").")
    private Integer rate;

    @Override
    public Integer call() throws InterruptedException {
        options.check(spec);
        List<String> command = new ArrayList<>(List.of("demo", "rails"));
        if (rate != null) {
            NetworkOptions.check(spec, "--rate", rate, 1, MAX_RATE);
            command.add("--rate=" + rate);
        }
        try {
            DemoNetwork network = options.network();
            if (network == null) {
                return options.runInLab(List.of("--ends", Integer.toString(ENDS)), command);
            }
            int messages = rate != null ? rate : Lab.isHere() ? LAB_RATE : RATE;
            String result;
            try (RailsDemo demo = new RailsDemo(network, messages, options.limitNs(), System.err)) {
                result = demo.run();
            }
            System.out.println(result);
            return 0;
        } catch (DemoException | BusException e) {
            System.err.println("demo failed: " + e.getMessage());
            return 1;
        }
    }
}
