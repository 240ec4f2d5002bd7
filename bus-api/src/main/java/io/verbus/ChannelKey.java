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

    /** Value: {@link Endpoint}. */
    CONTROL("control") {
        @Override
        Object parse(String value) {
            return Endpoint.parse(value);
        }
    },

    /** Value: String. */
    CONTROL_MODE("control-mode") {
        @Override
        Object parse(String value) {
            if (!value.equals(MANUAL) && !value.equals(DYNAMIC)) {
                throw wrong(value, "manual or dynamic");
            }
            return value;
        }
    },

    /** Value: String. */
    DEVICE("device") {
        @Override
        Object parse(String value) {
            if (!DEVICE_NAME.matcher(value).matches()) {
                throw wrong(value, "the name of an RDMA device, such as mlx5_0");
            }
            return value;
        }
    },

    /** Value: Integer. */
    TRAFFIC_CLASS("traffic-class") {
        @Override
        Object parse(String value) {
            return number(value, 0, 255, "104");
        }
    },

    /** Value: Integer. */
    DSCP("dscp") {
        @Override
        Object parse(String value) {
            return number(value, 0, 63, "26");
        }
    },

    /** Value: Integer, bytes. */
    PATH_MTU("path-mtu") {
        @Override
        Object parse(String value) {
            if (!FabricSettings.isPathMtu(value)) {
                throw wrong(value, "256, 512, 1024, 2048 or 4096");
            }
            return Integer.parseInt(value);
        }
    },

    /** Value: Integer, exponent. */
    ACK_TIMEOUT("ack-timeout") {
        @Override
        Object parse(String value) {
            int exponent = FabricSettings.ackTimeoutExponent(value);
            if (exponent < 0) {
                throw wrong(value, FabricSettings.RIGHT_ACK_TIMEOUT);
            }
            return exponent;
        }
    },

    /** Value: Integer. */
    RETRY_COUNT("retry-count") {
        @Override
        Object parse(String value) {
            return number(value, 0, 6, "6");
        }
    },

    /** Value: Integer. */
    RNR_RETRY_COUNT("rnr-retry-count") {
        @Override
        Object parse(String value) {
            return number(value, 0, 7, "7");
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
            return truth(value);
        }
    },

    /** Value: String. */
    CONGESTION_CONTROL("cc") {
        @Override
        Object parse(String value) {
            if (!value.equals("static") && !value.equals("cubic")) {
                throw wrong(value, "static or cubic");
            }
            return value;
        }
    },

    /** Value: String. */
    FLOW_CONTROL("fc") {
        @Override
        Object parse(String value) {
            if (FlowChoice.parse(value) == null) {
                throw wrong(value, FlowChoice.RIGHT);
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

    /** Value: Boolean. */
    SPIES_CONNECT("ssc") {
        @Override
        Object parse(String value) {
            return truth(value);
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
            return number(value, 0, 255, "4");
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

    /** The control mode of destinations that are added one by one. */
    static final String MANUAL = "manual";

    /** The control mode of destinations that come by themselves. */
    static final String DYNAMIC = "dynamic";

    private static final Pattern TAG = Pattern.compile("0|-?[1-9][0-9]{0,18}");
    private static final int MIN_WINDOW = 4096;
    private static final int MAX_WINDOW = 1024 * 1024 * 1024;
    private static final String RIGHT_LINGER =
            "from 0s to 60s with a unit of ns, us, ms or s, such as 500ms";
    private static final long MAX_LINGER_NS = 60_000_000_000L;
    private static final Pattern DURATION = Pattern.compile("[0-9]{1,11}(ns|us|ms|s)");
    private static final Pattern FEW_DIGITS = Pattern.compile("[0-9]{1,3}");
    private static final Pattern DEVICE_NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,63}");
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
            case Integer bytes when this == TERM_LENGTH || this == MTU || this == WINDOW ->
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

    Boolean truth(String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(value, "true or false");
        };
    }

    BusException wrong(String value, String right) {
        return new BusException(text + " '" + value + "' is wrong: it must be " + right);
    }

    Integer number(String value, int min, int max, String example) {
        if (FEW_DIGITS.matcher(value).matches()) {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw wrong(value, "a whole number from " + min + " to " + max + ", such as " + example);
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
