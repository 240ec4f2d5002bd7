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
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/**
 * The form of a key's values: their range, and how they are parsed and formatted.
 *
 * @param right description of valid values.
 * @param reader parses a text; returns null if it is invalid.
 * @param writer formats a value as its canonical text.
 */
record ValueForm(String right, Function<String, Object> reader, Function<Object, String> writer) {
    private static final Pattern TAG = Pattern.compile("0|-?[1-9][0-9]{0,18}");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,10}");
    private static final Pattern FEW_DIGITS = Pattern.compile("[0-9]{1,3}");
    private static final Pattern TIME = Pattern.compile("[0-9]{1,13}(ns|us|ms|s)");
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,10}[kKmMgG]?");
    private static final Pattern DEVICE_NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,63}");
    private static final Pattern NAME = Pattern.compile("[ -{}~]+");
    private static final long MINUTE_NS = 60_000_000_000L;
    private static final long HOUR_NS = 60 * MINUTE_NS;
    private static final long MILLISECOND_NS = 1_000_000;

    /** Text of a timestamp's offset in the reserved value of the frame that starts a message. */
    static final String RESERVED = "reserved";

    /** Smallest socket buffer in bytes. */
    static final int MIN_SOCKET_BUFFER = 1024;

    /** Smallest window in bytes. */
    static final int MIN_WINDOW = LogSpec.MIN_MTU;

    private static final int MAX_TIMESTAMP = LogSpec.MAX_MTU - FrameHeader.LENGTH - Long.BYTES;
    private static final int MAX_BYTES = 1024 * 1024 * 1024;

    /** Value: {@link Endpoint}. */
    static final ValueForm ADDRESS =
            plain("an address or host name, and a port, such as 10.0.0.2:20000", Endpoint::parse);

    /** Value: {@link LocalInterface}. */
    static final ValueForm INTERFACE = plain(LocalInterface.RIGHT, LocalInterface::parse);

    /** Value: String. */
    static final ValueForm DEVICE =
            plain(
                    "the name of an RDMA device, such as mlx5_0",
                    text -> DEVICE_NAME.matcher(text).matches() ? text : null);

    /** Value: String. */
    static final ValueForm LABEL =
            plain(
                    "printable ASCII characters other than '|'",
                    text -> NAME.matcher(text).matches() ? text : null);

    /** Value: Boolean. */
    static final ValueForm TRUTH =
            plain(
                    "true or false",
                    text ->
                            switch (text) {
                                case "true" -> true;
                                case "false" -> false;
                                default -> null;
                            });

    /** Value: Long. */
    static final ValueForm GROUP_TAG =
            plain("a whole number of 64 bits, such as 7", ValueForm::tag);

    /** Value: Integer. */
    static final ValueForm WHOLE_NUMBER =
            plain("a whole number from -2147483648 to 2147483647, such as 42", ValueForm::whole);

    /** Value: Integer, or {@link SessionTag}. */
    static final ValueForm SESSION =
            plain(
                    "a whole number from -2147483648 to 2147483647, such as 42, or tag: and a tag,"
                            + " such as tag:1002",
                    ValueForm::session);

    /** Value: Integer, offset in the message in bytes. */
    static final ValueForm TIMESTAMP =
            new ValueForm(
                    "an offset in the message from 0 to 65464, or reserved for the reserved value",
                    ValueForm::timestamp,
                    value ->
                            value.equals(ChannelUri.RESERVED_TIMESTAMP)
                                    ? RESERVED
                                    : value.toString());

    /** Value: Long, as in {@link ResponseLink}. */
    static final ValueForm RESPONSE_ID =
            new ValueForm(
                    "the id of a subscription or image, -1 for none, or prototype",
                    ValueForm::responseId,
                    value ->
                            value.equals(ResponseLink.PROTOTYPE)
                                    ? ResponseLink.PROTOTYPE_TEXT
                                    : value.toString());

    /** Value: {@link ChannelTags}. */
    static final ValueForm TAGS = plain(ChannelTags.RIGHT, ChannelTags::parse);

    /** Value: Integer, bytes. */
    static final ValueForm PATH_MTU =
            plain(
                    "256, 512, 1024, 2048 or 4096",
                    text -> FabricSettings.isPathMtu(text) ? Integer.valueOf(text) : null);

    /** Value: Integer, exponent. */
    static final ValueForm ACK_TIMEOUT =
            plain(
                    FabricSettings.RIGHT_ACK_TIMEOUT,
                    text -> {
                        int exponent = FabricSettings.ackTimeoutExponent(text);
                        return exponent < 0 ? null : exponent;
                    });

    /** Value: {@link FlowChoice}. */
    static final ValueForm FLOW = plain(FlowChoice.RIGHT, FlowChoice::parse);

    /** Value: Duration. */
    static final ValueForm TIME_FROM_NONE_TO_AN_HOUR =
            new ValueForm(
                    "from 0s to 3600s with a unit of ns, us, ms or s, such as 500ms",
                    text -> time(text, 0, HOUR_NS),
                    value -> SystemUtil.formatDuration(((Duration) value).toNanos()));

    /** Value: Duration. */
    static final ValueForm TIME_UP_TO_AN_HOUR =
            new ValueForm(
                    "from 1ms to 3600s with a unit of ns, us, ms or s, such as 500ms",
                    text -> time(text, MILLISECOND_NS, HOUR_NS),
                    value -> SystemUtil.formatDuration(((Duration) value).toNanos()));

    /** Value: Integer, bytes. */
    static final ValueForm TERM_LENGTH =
            size(
                    "a power of two from 64k to 1g, such as 16m",
                    LogLayout.MIN_TERM_LENGTH,
                    LogLayout.MAX_TERM_LENGTH,
                    BitUtil::isPowerOfTwo);

    /** Value: Integer, bytes. */
    static final ValueForm MTU =
            size(
                    "a multiple of 32 from 64 to 65504, such as 8k",
                    LogSpec.MIN_MTU,
                    LogSpec.MAX_MTU,
                    bytes -> bytes % FrameHeader.ALIGNMENT == 0);

    /** Value: Integer, bytes. */
    static final ValueForm WINDOW =
            size("from 64 to 1g, such as 8m", MIN_WINDOW, MAX_BYTES, bytes -> true);

    /** Value: Integer, bytes. */
    static final ValueForm SOCKET_BUFFER =
            size("from 1k to 1g, such as 2m", MIN_SOCKET_BUFFER, MAX_BYTES, bytes -> true);

    /** Value: String. */
    static ValueForm oneOf(String... all) {
        List<String> words = List.of(all);
        String last = words.getLast();
        String right = String.join(", ", words.subList(0, words.size() - 1)) + " or " + last;
        return plain(right, text -> words.contains(text) ? text : null);
    }

    /** Value: Integer. */
    static ValueForm number(int min, int max, int example) {
        return plain(
                "a whole number from " + min + " to " + max + ", such as " + example,
                text -> {
                    if (!FEW_DIGITS.matcher(text).matches()) {
                        return null;
                    }
                    int number = Integer.parseInt(text);
                    return number < min || number > max ? null : number;
                });
    }

    private static ValueForm plain(String right, Function<String, Object> reader) {
        return new ValueForm(right, reader, Object::toString);
    }

    private static ValueForm size(String right, int min, int max, IntPredicate isRight) {
        return new ValueForm(
                right,
                text -> {
                    Long bytes = SIZE.matcher(text).matches() ? bytes(text) : null;
                    boolean isInRange = bytes != null && bytes >= min && bytes <= max;
                    return isInRange && isRight.test(bytes.intValue()) ? bytes.intValue() : null;
                },
                value -> SystemUtil.formatSize((Integer) value));
    }

    private static Long bytes(String text) {
        try {
            return SystemUtil.parseSize("size", text);
        } catch (NumberFormatException tooLarge) {
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
            return ChannelUri.RESERVED_TIMESTAMP;
        }
        Integer offset = whole(text);
        return offset == null || offset < 0 || offset > MAX_TIMESTAMP ? null : offset;
    }

    private static Long responseId(String text) {
        if (text.equals(ResponseLink.PROTOTYPE_TEXT)) {
            return ResponseLink.PROTOTYPE;
        }
        Long id = tag(text);
        return id == null || id < ResponseLink.NONE ? null : id;
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
     * Parses a time with a unit; returns null if the text is invalid or the time exceeds a minute.
     */
    static Duration upToAMinute(String text) {
        return time(text, 0, MINUTE_NS);
    }

    /**
     * Clamps a time to the range of {@link #TIME_UP_TO_AN_HOUR}; returns an invalid text unchanged.
     */
    static String withinAnHour(String text) {
        Duration time = time(text, 0, Long.MAX_VALUE);
        return time == null ? text : Math.clamp(time.toNanos(), MILLISECOND_NS, HOUR_NS) + "ns";
    }

    private static Duration time(String text, long minNs, long maxNs) {
        try {
            if (!TIME.matcher(text).matches()) {
                return null;
            }
            long ns = SystemUtil.parseDuration("time", text);
            return ns >= minNs && ns <= maxNs ? Duration.ofNanos(ns) : null;
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
    Object read(String key, String text) {
        Object value = reader.apply(text);
        if (value == null) {
            throw new BusException(key + " '" + text + "' is invalid: it must be " + right);
        }
        return value;
    }
}
