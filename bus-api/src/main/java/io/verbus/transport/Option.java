// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import org.agrona.BitUtil;
import org.agrona.SystemUtil;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * An option of a driver or of a transport, as text: the one place that knows its default and its
 * range. Start-up, help and the reference page read it from here.
 *
 * @param <T> type of its values.
 * @param name with the media in front of a transport's, such as {@code rdma.retry-count}.
 * @param preset text of the default.
 * @param unit of the values, "bytes" or "time", or empty where they have none.
 * @param range what a value must be, as in "it must be RANGE".
 * @param help one sentence that says what the option does.
 * @param parser makes a value of a text; throws {@link IllegalArgumentException} if it cannot.
 */
public record Option<T>(
        String name,
        String preset,
        String unit,
        String range,
        String help,
        Function<String, T> parser) {
    private static final String BYTES = "bytes";
    private static final String TIME = "time";

    /** A whole number from {@code min} to {@code max}. */
    public static Option<Integer> count(String name, String preset, int min, int max, String help) {
        return new Option<>(
                name,
                preset,
                "",
                "a whole number from " + min + " to " + max,
                help,
                text -> (int) between(Integer.parseInt(text), min, max));
    }

    /** Bytes from {@code min} to {@code max}: a number, or one with {@code k}, {@code m}, … */
    public static Option<Long> size(String name, String preset, long min, long max, String help) {
        return new Option<>(
                name,
                preset,
                BYTES,
                "from " + SystemUtil.formatSize(min) + " to " + SystemUtil.formatSize(max),
                help,
                text -> between(SystemUtil.parseSize(name, text), min, max));
    }

    /** Bytes below 2 GiB that a condition holds for, which {@code range} says in words. */
    public static Option<Integer> size(
            String name, String preset, String range, IntPredicate isRight, String help) {
        return new Option<>(
                name,
                preset,
                BYTES,
                range,
                help,
                text -> {
                    int bytes = Math.toIntExact(SystemUtil.parseSize(name, text));
                    if (!isRight.test(bytes)) {
                        throw new IllegalArgumentException(text);
                    }
                    return bytes;
                });
    }

    /** Bytes that are a power of two from {@code min} to {@code max}. */
    public static Option<Integer> powerOfTwo(
            String name, String preset, int min, int max, String help) {
        return size(
                name,
                preset,
                "a power of two from "
                        + SystemUtil.formatSize(min)
                        + " to "
                        + SystemUtil.formatSize(max),
                bytes -> bytes >= min && bytes <= max && BitUtil.isPowerOfTwo(bytes),
                help);
    }

    /** Nanoseconds from {@code min} to {@code max}, with a unit: ns, us, ms or s. */
    public static Option<Long> duration(
            String name, String preset, long min, long max, String help) {
        return new Option<>(
                name,
                preset,
                TIME,
                "from " + SystemUtil.formatDuration(min) + " to " + SystemUtil.formatDuration(max),
                help,
                text -> between(SystemUtil.parseDuration(name, text), min, max));
    }

    /** {@code true} or {@code false}. */
    public static Option<Boolean> flag(String name, boolean preset, String help) {
        return choice(name, Boolean.toString(preset), List.of("true", "false"), help)
                .map(Boolean::valueOf);
    }

    /** One of some words. */
    public static Option<String> choice(
            String name, String preset, List<String> words, String help) {
        String all = words.stream().limit(words.size() - 1L).collect(Collectors.joining(", "));
        return new Option<>(
                name,
                preset,
                "",
                all + " or " + words.getLast(),
                help,
                text -> {
                    if (!words.contains(text)) {
                        throw new IllegalArgumentException(text);
                    }
                    return text;
                });
    }

    /** One of the constants of an enumeration, in lower case. */
    public static <E extends Enum<E>> Option<E> constant(
            String name, E preset, E[] constants, String help) {
        List<String> words =
                Arrays.stream(constants).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
        return choice(name, preset.name().toLowerCase(Locale.ROOT), words, help)
                .map(word -> constants[words.indexOf(word)]);
    }

    /** A text, of which {@code range} says what it must be. */
    public static <T> Option<T> of(
            String name, String preset, String range, String help, Function<String, T> parser) {
        return new Option<>(name, preset, "", range, help, parser);
    }

    /** Unit and range, for people: "bytes, from 4k to 1g". */
    public String values() {
        return unit.isEmpty() ? range : unit + ", " + range;
    }

    private <R> Option<R> map(Function<T, R> then) {
        return new Option<>(name, preset, unit, range, help, parser.andThen(then));
    }

    private static long between(long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(Long.toString(value));
        }
        return value;
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException that says what it must be.
     */
    public T parse(String text) {
        try {
            return parser.apply(text.trim());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("it must be " + range, e);
        }
    }

    /**
     * Reads the value that is set, or the default.
     *
     * @param settings of the driver.
     * @throws TransportException that names option, value and range.
     */
    public T read(TransportSettings settings) {
        String text = settings.option(name, preset);
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new TransportException(
                    "option " + name + " is '" + text + "': " + e.getMessage(), e);
        }
    }
}
