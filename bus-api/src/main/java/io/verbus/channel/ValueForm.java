// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.BitUtil;
import org.agrona.SystemUtil;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The form of a key's values: their type and range, and how they are parsed and formatted.
 *
 * @param <T> type of the values.
 * @param right description of valid values.
 * @param reader parses a text; returns null if it has another form.
 * @param isRight whether a value is in the range.
 * @param writer formats a value as its canonical text.
 */
record ValueForm<T>(
        String right,
        Function<String, T> reader,
        Predicate<T> isRight,
        Function<T, String> writer) {
    private static final Pattern TAG = Pattern.compile("0|-?[1-9][0-9]{0,18}");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,10}");
    private static final Pattern FEW_DIGITS = Pattern.compile("[0-9]{1,3}");
    private static final Pattern TIME = Pattern.compile("[0-9]{1,13}(ns|us|ms|s)");
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,10}[kKmMgG]?");
    private static final Pattern DEVICE_NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,63}");
    private static final Pattern NAME = Pattern.compile("[ -{}~]+");
    private static final long HOUR_NS = 3_600_000_000_000L;
    private static final long MILLISECOND_NS = 1_000_000;

    /** Text of a timestamp's offset in the reserved value of the frame that starts a message. */
    static final String RESERVED = "reserved";

    /** Smallest socket buffer in bytes. */
    static final int MIN_SOCKET_BUFFER = 1024;

    /** Smallest window in bytes. */
    static final int MIN_WINDOW = LogSpec.MIN_MTU;

    private static final int MAX_TIMESTAMP = LogSpec.MAX_MTU - FrameHeader.LENGTH - Long.BYTES;
    private static final int MAX_BYTES = 1024 * 1024 * 1024;

    static final ValueForm<Endpoint> ADDRESS =
            plain("an address or host name, and a port, such as 10.0.0.2:20000", Endpoint::parse);

    static final ValueForm<LocalInterface> INTERFACE =
            plain(LocalInterface.RIGHT, LocalInterface::parse);

    static final ValueForm<String> DEVICE =
            text("the name of an RDMA device, such as mlx5_0", DEVICE_NAME.asMatchPredicate());

    static final ValueForm<String> LABEL =
            text("printable ASCII characters other than '|'", NAME.asMatchPredicate());

    static final ValueForm<Boolean> TRUTH =
            plain(
                    "true or false",
                    text ->
                            switch (text) {
                                case "true" -> true;
                                case "false" -> false;
                                default -> null;
                            });

    static final ValueForm<Long> GROUP_TAG = plain("a 64-bit integer, such as 7", ValueForm::tag);

    static final ValueForm<Integer> WHOLE_NUMBER =
            plain("a whole number from -2147483648 to 2147483647, such as 42", ValueForm::whole);

    /** Integer, or {@link SessionTag}. */
    static final ValueForm<Object> SESSION =
            plain(
                    "a whole number from -2147483648 to 2147483647, such as 42, or tag: followed by"
                            + " a tag, such as tag:1002",
                    ValueForm::session);

    /** Offset in the message in bytes. */
    static final ValueForm<Integer> TIMESTAMP =
            new ValueForm<>(
                    "an offset in the message from 0 to 65464, or `reserved` for the reserved value"
                            + " in the frame's header",
                    ValueForm::timestamp,
                    offset ->
                            offset == TimestampSettings.RESERVED
                                    || offset >= 0 && offset <= MAX_TIMESTAMP,
                    offset -> offset == TimestampSettings.RESERVED ? RESERVED : offset.toString());

    /** Ids as in {@link ResponseLink}. */
    static final ValueForm<Long> RESPONSE_ID =
            new ValueForm<>(
                    "the id of a subscription or image, -1 for none, or prototype",
                    ValueForm::responseId,
                    id -> id >= ResponseLink.NONE || id == ResponseLink.PROTOTYPE,
                    id ->
                            id == ResponseLink.PROTOTYPE
                                    ? ResponseLink.PROTOTYPE_TEXT
                                    : id.toString());

    static final ValueForm<ChannelTags> TAGS =
            plain(ChannelTags.RIGHT, ChannelTags::parse, ChannelTags::isRight);

    /** Path MTU in bytes. */
    static final ValueForm<Integer> PATH_MTU =
            plain(
                    "256, 512, 1024, 2048 or 4096",
                    text -> FabricSettings.isPathMtu(text) ? Integer.valueOf(text) : null,
                    bytes -> FabricSettings.isPathMtu(bytes.toString()));

    /** Acknowledgement timeout as an exponent, see {@link FabricSettings#ackTimeoutExponent}. */
    static final ValueForm<Integer> ACK_TIMEOUT =
            plain(
                    FabricSettings.RIGHT_ACK_TIMEOUT,
                    FabricSettings::ackTimeoutExponent,
                    exponent -> exponent >= 1 && exponent <= FabricSettings.MAX_EXPONENT);

    static final ValueForm<FlowChoice> FLOW = plain(FlowChoice.RIGHT, FlowChoice::parse);

    static final ValueForm<Duration> TIME_FROM_NONE_TO_AN_HOUR =
            time("from 0s to 3600s with a unit of ns, us, ms or s, such as 500ms", 0);

    static final ValueForm<Duration> TIME_UP_TO_AN_HOUR =
            time("from 1ms to 3600s with a unit of ns, us, ms or s, such as 500ms", MILLISECOND_NS);

    /** Term length in bytes. */
    static final ValueForm<Integer> TERM_LENGTH =
            size(
                    "a power of two from 64k to 1g, such as 16m",
                    LogLayout.MIN_TERM_LENGTH,
                    LogLayout.MAX_TERM_LENGTH,
                    BitUtil::isPowerOfTwo);

    /** MTU in bytes. */
    static final ValueForm<Integer> MTU =
            size(
                    "a multiple of 32 from 64 to 65504, such as 8k",
                    LogSpec.MIN_MTU,
                    LogSpec.MAX_MTU,
                    bytes -> bytes % FrameHeader.ALIGNMENT == 0);

    /** Window in bytes. */
    static final ValueForm<Integer> WINDOW =
            size("from 64 to 1g, such as 8m", MIN_WINDOW, MAX_BYTES, bytes -> true);

    /** Size of a socket buffer in bytes. */
    static final ValueForm<Integer> SOCKET_BUFFER =
            size("from 1k to 1g, such as 2m", MIN_SOCKET_BUFFER, MAX_BYTES, bytes -> true);

    static ValueForm<String> oneOf(String... all) {
        List<String> words = List.of(all);
        String last = words.getLast();
        return text(
                String.join(", ", words.subList(0, words.size() - 1)) + " or " + last,
                words::contains);
    }

    static ValueForm<Integer> number(int min, int max, int example) {
        return plain(
                "a whole number from " + min + " to " + max + ", such as " + example,
                text -> FEW_DIGITS.matcher(text).matches() ? Integer.valueOf(text) : null,
                number -> number >= min && number <= max);
    }

    private static <T> ValueForm<T> plain(String right, Function<String, T> reader) {
        return plain(right, reader, any -> true);
    }

    private static <T> ValueForm<T> plain(
            String right, Function<String, T> reader, Predicate<T> isRight) {
        return new ValueForm<>(right, reader, isRight, Object::toString);
    }

    private static ValueForm<String> text(String right, Predicate<String> isRight) {
        return plain(right, Function.identity(), isRight);
    }

    private static ValueForm<Duration> time(String right, long minNs) {
        return new ValueForm<>(
                right,
                ValueForm::time,
                time -> time.toNanos() >= minNs && time.toNanos() <= HOUR_NS,
                time -> SystemUtil.formatDuration(time.toNanos()));
    }

    private static ValueForm<Integer> size(
            String right, int min, int max, Predicate<Integer> isRight) {
        return new ValueForm<>(
                right,
                ValueForm::bytes,
                bytes -> bytes >= min && bytes <= max && isRight.test(bytes),
                bytes -> SystemUtil.formatSize(bytes));
    }

    private static Integer bytes(String text) {
        try {
            return SIZE.matcher(text).matches()
                    ? Math.toIntExact(SystemUtil.parseSize("size", text))
                    : null;
        } catch (NumberFormatException | ArithmeticException tooLarge) {
            return null;
        }
    }

    /** Parses a 64-bit tag; returns null if the text is invalid. */
    static Long tag(String text) {
        try {
            return TAG.matcher(text).matches() ? Long.valueOf(text) : null;
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    private static Integer timestamp(String text) {
        if (text.equals(RESERVED)) {
            return TimestampSettings.RESERVED;
        }
        Integer offset = whole(text);
        return offset == null || offset < 0 ? null : offset;
    }

    private static Long responseId(String text) {
        if (text.equals(ResponseLink.PROTOTYPE_TEXT)) {
            return ResponseLink.PROTOTYPE;
        }
        Long id = tag(text);
        return id == null || id < 0 && id != ResponseLink.NONE ? null : id;
    }

    /**
     * The session of another publication.
     *
     * @param tag tag of that publication.
     */
    record SessionTag(long tag) {
        private static final String PREFIX = "tag:";

        @Override
        public String toString() {
            return PREFIX + tag;
        }
    }

    private static Object session(String text) {
        if (!text.startsWith(SessionTag.PREFIX)) {
            return whole(text);
        }
        Long tag = tag(text.substring(SessionTag.PREFIX.length()));
        return tag == null ? null : new SessionTag(tag);
    }

    private static Integer whole(String text) {
        if (!WHOLE.matcher(text).matches()) {
            return null;
        }
        long number = Long.parseLong(text);
        return number == (int) number ? (int) number : null;
    }

    /**
     * Clamps a time to the range of {@link #TIME_UP_TO_AN_HOUR}; returns an invalid text unchanged.
     */
    static String withinAnHour(String text) {
        Duration time = time(text);
        return time == null ? text : Math.clamp(time.toNanos(), MILLISECOND_NS, HOUR_NS) + "ns";
    }

    /** Parses a time with a unit; returns null if the text is invalid. */
    static Duration time(String text) {
        try {
            return TIME.matcher(text).matches()
                    ? Duration.ofNanos(SystemUtil.parseDuration("time", text))
                    : null;
        } catch (NumberFormatException tooLong) {
            return null;
        }
    }

    /**
     * Parses a value.
     *
     * @param key key of the value, for the message.
     * @throws BusException if the text is invalid.
     */
    T read(String key, String text) {
        T value = reader.apply(text);
        if (value == null || !isRight.test(value)) {
            throw invalid(key, text);
        }
        return value;
    }

    /**
     * Checks a value that an application has set.
     *
     * @param key key of the value, for the message.
     * @throws BusException if the value is out of range.
     */
    void check(String key, T value) {
        if (!isRight.test(value)) {
            throw invalid(
                    key, value instanceof Duration time ? time.toNanos() + "ns" : value.toString());
        }
    }

    private BusException invalid(String key, String text) {
        return new BusException(key + " '" + text + "' is invalid: it must be " + right);
    }
}
