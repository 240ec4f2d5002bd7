// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import org.agrona.BitUtil;
import org.agrona.SystemUtil;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An option of a driver or a transport, in text form. Defines its default and range for start-up,
 * help and the reference page alike.
 *
 * @param <T> type of its values.
 * @param name name, which for a transport starts with the media, such as {@code rdma.retry-count}.
 * @param preset text of the default.
 * @param unit unit of the values, "bytes" or "time"; empty if none.
 * @param range valid values, as in "it must be RANGE".
 * @param help one sentence that says what the option changes.
 * @param parser parses a text; throws {@link IllegalArgumentException} if the text is invalid.
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
    private static final Pattern BARE = Pattern.compile("\\d+");

    /** Creates an option for a whole number from {@code min} to {@code max}. */
    public static Option<Integer> count(String name, String preset, int min, int max, String help) {
        return new Option<>(
                name,
                preset,
                "",
                "a whole number from " + min + " to " + max,
                help,
                text -> (int) between(Integer.parseInt(text), min, max));
    }

    /**
     * Creates an option for a length in bytes from {@code min} to {@code max}, with an optional
     * unit: {@code k}, {@code m} or {@code g}.
     */
    public static Option<Long> size(String name, String preset, long min, long max, String help) {
        return new Option<>(
                name,
                preset,
                BYTES,
                "from " + SystemUtil.formatSize(min) + " to " + SystemUtil.formatSize(max),
                help,
                text -> between(SystemUtil.parseSize(name, text), min, max));
    }

    /**
     * Creates an option for a length in bytes below 2 GiB that meets a condition, which {@code
     * range} describes.
     */
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

    /**
     * Creates an option for a length in bytes that is a power of two from {@code min} to {@code
     * max}.
     */
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

    /**
     * Creates an option for a time from {@code min} to {@code max} nanoseconds, with a unit: ns,
     * us, ms or s.
     */
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

    /** Creates an option for {@code true} or {@code false}. */
    public static Option<Boolean> flag(String name, boolean preset, String help) {
        return choice(name, Boolean.toString(preset), List.of("true", "false"), help)
                .map(Boolean::valueOf);
    }

    /** Creates an option for one of several words. */
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

    /** Creates an option for one of the constants of an enumeration, in lower case. */
    public static <E extends Enum<E>> Option<E> constant(
            String name, E preset, E[] constants, String help) {
        List<String> words =
                Arrays.stream(constants).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
        return choice(name, preset.name().toLowerCase(Locale.ROOT), words, help)
                .map(word -> constants[words.indexOf(word)]);
    }

    /** Creates an option for a text, whose valid values {@code range} describes. */
    public static <T> Option<T> of(
            String name, String preset, String range, String help, Function<String, T> parser) {
        return new Option<>(name, preset, "", range, help, parser);
    }

    /** Returns the human-readable unit and range, such as "bytes, from 4k to 1g". */
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
     * Parses a text.
     *
     * @throws IllegalArgumentException if the text is invalid; the message describes valid values.
     */
    public T parse(String text) {
        try {
            return parser.apply(text.trim());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("it must be " + range + units(text.trim()), e);
        }
    }

    /** Names the units after a number that has none. */
    private String units(String text) {
        if (unit.isEmpty() || !BARE.matcher(text).matches()) {
            return "";
        }
        return unit.equals(TIME)
                ? ", with a unit: ns, us, ms or s"
                : "; a number without a unit is in bytes, the units are k, m and g";
    }

    /**
     * Parses the configured value, or the default.
     *
     * @param settings settings of the driver.
     * @throws TransportException if the value is invalid; the message names option, value and
     *     range.
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
