// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.BusException;

import org.agrona.BitUtil;
import org.agrona.SystemUtil;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An option of a driver or a transport. Defines its default and range for start-up, help and the
 * reference page alike.
 *
 * @param <T> type of its values.
 * @param name name, which for a transport starts with the media, such as {@code rdma.retry-count}.
 * @param preset text of the default.
 * @param unit unit of the values, "bytes" or "time"; empty if none.
 * @param range valid values, as in "it must be RANGE".
 * @param help one sentence that says what the option changes.
 * @param parser parser of a text; throws {@link IllegalArgumentException} or {@link BusException}
 *     if the text is malformed.
 * @param isValid predicate that tests whether a value is in the range.
 */
public record Option<T>(
        String name,
        String preset,
        String unit,
        String range,
        String help,
        Function<String, T> parser,
        Predicate<T> isValid) {
    private static final String BYTES = "bytes";
    private static final String TIME = "time";
    private static final Pattern BARE = Pattern.compile("\\d+");

    /** Creates an option for a whole number from {@code min} to {@code max}. */
    public static Option<Integer> count(String name, String preset, int min, int max, String help) {
        return new Option<>(
                name,
                preset,
                "",
                whole(min, max),
                help,
                Integer::valueOf,
                count -> count >= min && count <= max);
    }

    /** Creates an option for a whole number from {@code min} to {@code max}, as a long. */
    public static Option<Long> total(String name, String preset, long min, long max, String help) {
        return new Option<>(
                name, preset, "", whole(min, max), help, Long::valueOf, between(min, max));
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
                text -> SystemUtil.parseSize(name, text),
                between(min, max));
    }

    /**
     * Creates an option for a length in bytes below 2 GiB that meets a condition, which {@code
     * range} describes.
     */
    public static Option<Integer> size(
            String name, String preset, String range, Predicate<Integer> isValid, String help) {
        return new Option<>(
                name,
                preset,
                BYTES,
                range,
                help,
                text -> Math.toIntExact(SystemUtil.parseSize(name, text)),
                isValid);
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
                text -> SystemUtil.parseDuration(name, text),
                between(min, max));
    }

    /** Creates an option for {@code true} or {@code false}. */
    public static Option<Boolean> flag(String name, boolean preset, String help) {
        return word(
                name,
                Boolean.toString(preset),
                List.of("true", "false"),
                List.of(true, false),
                help);
    }

    /** Creates an option for one of several words. */
    public static Option<String> choice(
            String name, String preset, List<String> words, String help) {
        return word(name, preset, words, words, help);
    }

    /** Creates an option for one of the constants of an enumeration, in lower case. */
    public static <E extends Enum<E>> Option<E> constant(
            String name, E preset, E[] constants, String help) {
        List<String> words =
                Arrays.stream(constants).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
        return word(
                name,
                preset.name().toLowerCase(Locale.ROOT),
                words,
                Arrays.asList(constants),
                help);
    }

    private static <T> Option<T> word(
            String name, String preset, List<String> words, List<T> values, String help) {
        String all = words.stream().limit(words.size() - 1L).collect(Collectors.joining(", "));
        return of(
                name,
                preset,
                all + " or " + words.getLast(),
                help,
                text -> {
                    if (!words.contains(text)) {
                        throw new IllegalArgumentException(text);
                    }
                    return values.get(words.indexOf(text));
                },
                values::contains);
    }

    /** Creates an option whose value is a text; {@code range} describes the valid texts. */
    public static <T> Option<T> of(
            String name, String preset, String range, String help, Function<String, T> parser) {
        return of(name, preset, range, help, parser, any -> true);
    }

    /** Creates an option for values of a type of its own, which {@code range} describes. */
    public static <T> Option<T> of(
            String name,
            String preset,
            String range,
            String help,
            Function<String, T> parser,
            Predicate<T> isValid) {
        return new Option<>(name, preset, "", range, help, parser, isValid);
    }

    private static String whole(long min, long max) {
        return "a whole number from " + min + " to " + max;
    }

    private static Predicate<Long> between(long min, long max) {
        return value -> value >= min && value <= max;
    }

    /** Returns the human-readable unit and range, such as "bytes, from 4k to 1g". */
    public String values() {
        return unit.isEmpty() ? range : unit + ", " + range;
    }

    /**
     * Parses a text.
     *
     * @throws IllegalArgumentException if the text is invalid; the message describes valid values.
     */
    public T parse(String text) {
        String trimmed = text.trim();
        T value;
        try {
            value = parser.apply(trimmed);
        } catch (IllegalArgumentException | ArithmeticException | BusException e) {
            throw new IllegalArgumentException(expected(trimmed), e);
        }
        if (!isValid.test(value)) {
            throw new IllegalArgumentException(expected(trimmed));
        }
        return value;
    }

    /**
     * Checks a value that an application has set.
     *
     * @throws BusException if it is out of range; the message names option, value and range.
     */
    public void check(T value) {
        if (value == null || !isValid.test(value)) {
            String text = value + (unit.equals(TIME) ? "ns" : "");
            throw new BusException(name + " is " + text + ": " + expected(text));
        }
    }

    private String expected(String text) {
        return "it must be " + range + units(text);
    }

    /** Names the units after a number that has none. */
    private String units(String text) {
        if (unit.isEmpty() || !BARE.matcher(text).matches()) {
            return "";
        }
        return unit.equals(TIME)
                ? ", with a unit: ns, us, ms or s"
                : "; a number without a unit is in bytes; the units are k, m and g";
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
