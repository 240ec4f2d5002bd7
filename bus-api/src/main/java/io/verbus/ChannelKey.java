// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.BitUtil;
import org.agrona.SystemUtil;

import java.time.Duration;
import java.util.regex.Pattern;

/** The keys that channels may have, in the order of their canonical text. */
enum ChannelKey {
    /** Value: {@link Endpoint}. */
    ENDPOINT("endpoint") {
        @Override
        Object parse(String value) {
            return Endpoint.parse(value);
        }
    },

    /** Value: String. */
    INTERFACE("interface") {
        @Override
        Object parse(String value) {
            return Endpoint.checkHost(value);
        }
    },

    /** Value: Integer, bytes. */
    TERM_LENGTH("term-length") {
        @Override
        Object parse(String value) {
            return size(
                    value,
                    LogLayout.MIN_TERM_LENGTH,
                    LogLayout.MAX_TERM_LENGTH,
                    BitUtil::isPowerOfTwo,
                    "a power of two from 64k to 1g, such as 16m");
        }
    },

    /** Value: Integer, bytes. */
    MTU("mtu") {
        @Override
        Object parse(String value) {
            return size(
                    value,
                    LogSpec.MIN_MTU,
                    LogSpec.MAX_MTU,
                    bytes -> bytes % FrameHeader.ALIGNMENT == 0,
                    "a multiple of 32 from 64 to 65504, such as 8k");
        }
    },

    /** Value: Integer, bytes. */
    WINDOW("window") {
        @Override
        Object parse(String value) {
            return size(value, MIN_WINDOW, MAX_WINDOW, bytes -> true, "from 4k to 1g, such as 8m");
        }
    },

    /** Value: Boolean. */
    RELIABLE("reliable") {
        @Override
        Object parse(String value) {
            return switch (value) {
                case "true" -> true;
                case "false" -> false;
                default -> throw wrong(value, "true or false");
            };
        }
    },

    /** Value: String. */
    FLOW_CONTROL("fc") {
        @Override
        Object parse(String value) {
            boolean isRight =
                    value.equals("max")
                            || value.equals("min")
                            || value.startsWith(TAGGED) && isTag(value.substring(TAGGED.length()));
            if (!isRight) {
                throw wrong(value, "max, min, or tagged,g:TAG, such as tagged,g:7");
            }
            return value;
        }
    },

    /** Value: Long. */
    GROUP_TAG("gtag") {
        @Override
        Object parse(String value) {
            if (!isTag(value)) {
                throw wrong(value, "a whole number of 64 bits, such as 7");
            }
            return Long.parseLong(value);
        }
    },

    /** Value: Duration. */
    LINGER("linger") {
        @Override
        Object parse(String value) {
            if (DURATION.matcher(value).matches()) {
                try {
                    long ns = SystemUtil.parseDuration("linger", value);
                    if (ns <= MAX_LINGER_NS) {
                        return Duration.ofNanos(ns);
                    }
                } catch (NumberFormatException e) {
                    throw wrong(value, RIGHT_LINGER); // too long even for a long
                }
            }
            throw wrong(value, RIGHT_LINGER);
        }
    },

    /** Value: Integer. */
    TTL("ttl") {
        @Override
        Object parse(String value) {
            if (TTL_DIGITS.matcher(value).matches()) {
                int hops = Integer.parseInt(value);
                if (hops <= 255) {
                    return hops;
                }
            }
            throw wrong(value, "a whole number from 0 to 255, such as 4");
        }
    },

    /** Value: Integer. */
    SESSION_ID("session-id") {
        @Override
        Object parse(String value) {
            if (WHOLE.matcher(value).matches()) {
                long number = Long.parseLong(value);
                if (number == (int) number) {
                    return (int) number;
                }
            }
            throw wrong(value, "a whole number from -2147483648 to 2147483647, such as 42");
        }
    },

    /** Value: String. */
    ALIAS("alias") {
        @Override
        Object parse(String value) {
            if (!NAME.matcher(value).matches()) {
                throw wrong(value, "1 to 100 printable ASCII characters other than '|'");
            }
            return value;
        }
    };

    /** What precedes the tag in {@code fc=tagged,g:TAG}. */
    static final String TAGGED = "tagged,g:";

    private static final Pattern TAG = Pattern.compile("0|-?[1-9][0-9]{0,18}");
    private static final int MIN_WINDOW = 4096;
    private static final int MAX_WINDOW = 1024 * 1024 * 1024;
    private static final String RIGHT_LINGER =
            "from 0s to 60s with a unit of ns, us, ms or s, such as 500ms";
    private static final long MAX_LINGER_NS = 60_000_000_000L;
    private static final Pattern DURATION = Pattern.compile("[0-9]{1,11}(ns|us|ms|s)");
    private static final Pattern TTL_DIGITS = Pattern.compile("[0-9]{1,3}");
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,10}[kKmMgG]?");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,10}");
    private static final Pattern NAME = Pattern.compile("[ -{}~]{1,100}");

    private final String text;

    ChannelKey(String text) {
        this.text = text;
    }

    /** The key of the given name, or null. */
    static ChannelKey of(String text) {
        for (ChannelKey key : values()) {
            if (key.text.equals(text)) {
                return key;
            }
        }
        return null;
    }

    String text() {
        return text;
    }

    /**
     * Reads a value.
     *
     * @throws BusException if it is none of this key.
     */
    abstract Object parse(String value);

    /** The one text of a value. */
    String format(Object value) {
        return switch (value) {
            case Duration time -> SystemUtil.formatDuration(time.toNanos());
            case Integer bytes when this != SESSION_ID && this != TTL ->
                    SystemUtil.formatSize(bytes);
            default -> value.toString();
        };
    }

    static boolean isTag(String value) {
        if (!TAG.matcher(value).matches()) {
            return false;
        }
        try {
            Long.parseLong(value);
            return true;
        } catch (NumberFormatException tooLarge) {
            return false;
        }
    }

    BusException wrong(String value, String right) {
        return new BusException(text + " '" + value + "' is wrong: it must be " + right);
    }

    private interface SizeCheck {
        boolean isRight(int bytes);
    }

    Integer size(String value, int min, int max, SizeCheck check, String right) {
        long bytes = -1;
        if (SIZE.matcher(value).matches()) {
            try {
                bytes = SystemUtil.parseSize(text, value);
            } catch (NumberFormatException e) {
                throw wrong(value, right); // too large even for a long
            }
        }
        if (bytes < min || bytes > max || !check.isRight((int) bytes)) {
            throw wrong(value, right);
        }
        return (int) bytes;
    }
}
