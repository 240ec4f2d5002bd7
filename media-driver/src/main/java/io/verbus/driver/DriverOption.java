// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;

import org.agrona.SystemUtil;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A setting of the driver as text: what properties, environment and command line may say.
 *
 * @param name without prefix, such as {@code client-liveness-timeout}.
 * @param help one line for people.
 * @param apply parses a value and sets it.
 */
public record DriverOption(
        String name, String help, BiConsumer<DriverConfigBuilder, String> apply) {
    private static final String IDLING = names(Idling.values());

    /** All options, in the order in which help lists them. */
    public static final List<DriverOption> ALL =
            List.of(
                    of(
                            "dir",
                            "driver directory, on tmpfs [/dev/shm/verbus-USER]",
                            DriverOption::path,
                            DriverConfigBuilder::directory),
                    of(
                            "log-directory",
                            "on a hugetlbfs mount, for logs on huge pages [none]",
                            DriverOption::path,
                            DriverConfigBuilder::logDirectory),
                    of(
                            "threading",
                            names(ThreadingMode.values()) + " [dedicated]",
                            text -> constant(ThreadingMode.values(), text),
                            DriverConfigBuilder::threading),
                    of(
                            "conductor.idle",
                            "conductor's idling: " + IDLING + " [backoff]",
                            DriverOption::idling,
                            DriverConfigBuilder::conductorIdling),
                    of(
                            "sender.idle",
                            "sender's idling [backoff]",
                            DriverOption::idling,
                            DriverConfigBuilder::senderIdling),
                    of(
                            "receiver.idle",
                            "receiver's idling [backoff]",
                            DriverOption::idling,
                            DriverConfigBuilder::receiverIdling),
                    of(
                            "conductor.cpu",
                            "CPU that the conductor is bound to [-1: any]",
                            DriverOption::number,
                            DriverConfigBuilder::conductorCpu),
                    of(
                            "sender.cpu",
                            "CPU that the sender is bound to [-1: any]",
                            DriverOption::number,
                            DriverConfigBuilder::senderCpu),
                    of(
                            "receiver.cpu",
                            "CPU that the receiver is bound to [-1: any]",
                            DriverOption::number,
                            DriverConfigBuilder::receiverCpu),
                    of(
                            "client-liveness-timeout",
                            "a client silent for so long is given up [10s]",
                            DriverOption::time,
                            DriverConfigBuilder::clientLivenessTimeoutNs),
                    of(
                            "unblock-timeout",
                            "a claim open for so long is filled [1.5 x client-liveness-timeout]",
                            DriverOption::time,
                            DriverConfigBuilder::unblockTimeoutNs),
                    of(
                            "linger",
                            "time a log's file stays after its last user [3s]",
                            DriverOption::time,
                            DriverConfigBuilder::lingerNs),
                    of(
                            "term-length",
                            "bytes of a term where the channel names none [16m]",
                            DriverOption::size,
                            DriverConfigBuilder::termLength),
                    of(
                            "mtu",
                            "bytes of the longest frame where the channel names none [8192]",
                            DriverOption::size,
                            DriverConfigBuilder::mtu),
                    of(
                            "ipc-window",
                            "bytes an IPC publication may be ahead [0: two terms, the most]",
                            DriverOption::size,
                            DriverConfigBuilder::ipcWindow),
                    of(
                            "to-driver-length",
                            "bytes of the command buffer [1m]",
                            DriverOption::size,
                            DriverConfigBuilder::toDriverLength),
                    of(
                            "to-clients-length",
                            "bytes of the event buffer [1m]",
                            DriverOption::size,
                            DriverConfigBuilder::toClientsLength),
                    of(
                            "counter-values-length",
                            "bytes of the counters, 128 each [1m]",
                            DriverOption::size,
                            DriverConfigBuilder::counterValuesLength),
                    of(
                            "error-log-length",
                            "bytes of the error log [1m]",
                            DriverOption::size,
                            DriverConfigBuilder::errorLogLength));

    private static <T> DriverOption of(
            String name,
            String help,
            Function<String, T> parser,
            BiConsumer<DriverConfigBuilder, T> setter) {
        return new DriverOption(
                name, help, (builder, text) -> setter.accept(builder, parser.apply(text)));
    }

    /**
     * Parses and sets a value.
     *
     * @param builder to set it in.
     * @param text of the value.
     * @param source where it stands, for the message.
     * @throws BusException if the value is bad.
     */
    void set(DriverConfigBuilder builder, String text, String source) {
        try {
            apply.accept(builder, text.trim());
        } catch (BusException | IllegalArgumentException e) {
            throw new BusException(
                    source + " has the bad value '" + text + "': " + e.getMessage(), e);
        }
    }

    private static Path path(String text) {
        if (text.isEmpty()) {
            throw new BusException("give the path of a directory");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new BusException("give the path of a directory", e);
        }
    }

    private static Idling idling(String text) {
        return constant(Idling.values(), text);
    }

    private static <E extends Enum<E>> E constant(E[] values, String text) {
        for (E value : values) {
            if (name(value).equals(text.toLowerCase(Locale.ROOT))) {
                return value;
            }
        }
        throw new BusException("give one of " + names(values));
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new BusException("give a whole number", e);
        }
    }

    private static int size(String text) {
        try {
            return Math.toIntExact(SystemUtil.parseSize("value", text));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new BusException("give bytes below 2g, such as 65536, 64k or 16m", e);
        }
    }

    private static long time(String text) {
        try {
            return SystemUtil.parseDuration("value", text);
        } catch (NumberFormatException e) {
            throw new BusException("give a time, such as 500ms or 5s", e);
        }
    }

    private static String names(Enum<?>[] values) {
        return String.join(", ", Arrays.stream(values).map(DriverOption::name).toList());
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
