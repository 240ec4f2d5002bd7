// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;
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
    ENDPOINT(
            "endpoint",
            Side.NONE,
            Side.BOTH,
            Side.BOTH,
            "none",
            "an address or host name, and a port",
            "Where the subscribing driver receives.") {
        @Override
        Object parse(String value) {
            return Endpoint.parse(value);
        }
    },

    /** Value: String. */
    INTERFACE(
            "interface",
            Side.NONE,
            Side.PUBLICATION,
            Side.BOTH,
            "any",
            "an IP address or host name of this host",
            "Local address that sends; over UDP also the interface on which a subscription joins a"
                    + " group.") {
        @Override
        Object parse(String value) {
            return Endpoint.checkHost(value);
        }
    },

    /** Value: {@link Endpoint}. */
    CONTROL(
            "control",
            Side.NONE,
            Side.NONE,
            Side.BOTH,
            "none",
            "an address or host name, and a port",
            "Where receivers of a dynamic publication announce themselves, on the publishing"
                    + " host.") {
        @Override
        Object parse(String value) {
            return Endpoint.parse(value);
        }
    },

    /** Value: String. */
    CONTROL_MODE(
            "control-mode",
            Side.NONE,
            Side.PUBLICATION,
            Side.BOTH,
            "none",
            "manual or dynamic",
            "How destinations come to a publication: manual, one by one; dynamic, over UDP, by"
                    + " themselves.") {
        @Override
        Object parse(String value) {
            if (!value.equals(MANUAL) && !value.equals(DYNAMIC)) {
                throw wrong(value);
            }
            return value;
        }
    },

    /** Value: String. */
    DEVICE(
            "device",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "any",
            "the name of an RDMA device, such as mlx5_0",
            "RDMA device that must carry the channel.") {
        @Override
        Object parse(String value) {
            if (!DEVICE_NAME.matcher(value).matches()) {
                throw wrong(value);
            }
            return value;
        }
    },

    /** Value: Integer. */
    TRAFFIC_CLASS(
            "traffic-class",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            "a whole number from 0 to 255, such as 104",
            "Traffic class of the packets.") {
        @Override
        Object parse(String value) {
            return number(value, 0, 255);
        }
    },

    /** Value: Integer. */
    DSCP(
            "dscp",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            "a whole number from 0 to 63, such as 26",
            "The upper six bits of the traffic class.") {
        @Override
        Object parse(String value) {
            return number(value, 0, 63);
        }
    },

    /** Value: Integer, bytes. */
    PATH_MTU(
            "path-mtu",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            "256, 512, 1024, 2048 or 4096",
            "Bytes that packets must carry.") {
        @Override
        Object parse(String value) {
            if (!FabricSettings.isPathMtu(value)) {
                throw wrong(value);
            }
            return Integer.parseInt(value);
        }
    },

    /** Value: Integer, exponent. */
    ACK_TIMEOUT(
            "ack-timeout",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            FabricSettings.RIGHT_ACK_TIMEOUT,
            "Time that an acknowledgement may take.") {
        @Override
        Object parse(String value) {
            int exponent = FabricSettings.ackTimeoutExponent(value);
            if (exponent < 0) {
                throw wrong(value);
            }
            return exponent;
        }
    },

    /** Value: Integer. */
    RETRY_COUNT(
            "retry-count",
            Side.NONE,
            Side.PUBLICATION,
            Side.NONE,
            "the driver's",
            "a whole number from 0 to 6, such as 6",
            "Transport retries before the connection fails.") {
        @Override
        Object parse(String value) {
            return number(value, 0, 6);
        }
    },

    /** Value: Integer. */
    RNR_RETRY_COUNT(
            "rnr-retry-count",
            Side.NONE,
            Side.BOTH,
            Side.NONE,
            "the driver's",
            "a whole number from 0 to 7, such as 7",
            "Retries while the peer has no receive posted; 7 retries for ever.") {
        @Override
        Object parse(String value) {
            return number(value, 0, 7);
        }
    },

    /** Value: Integer, bytes. */
    TERM_LENGTH(
            "term-length",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's",
            "a power of two from 64k to 1g, such as 16m",
            "Bytes of a term; a log has three.") {
        @Override
        Object parse(String value) {
            return size(
                    value,
                    LogLayout.MIN_TERM_LENGTH,
                    LogLayout.MAX_TERM_LENGTH,
                    BitUtil::isPowerOfTwo);
        }
    },

    /** Value: Integer, bytes. */
    MTU(
            "mtu",
            Side.PUBLICATION,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "the driver's; over UDP 1408 at most",
            "a multiple of 32 from 64 to 65504, such as 8k",
            "Bytes of the longest frame; longer messages are fragmented.") {
        @Override
        Object parse(String value) {
            return size(
                    value,
                    LogSpec.MIN_MTU,
                    LogSpec.MAX_MTU,
                    bytes -> bytes % FrameHeader.ALIGNMENT == 0);
        }
    },

    /** Value: Integer, bytes. */
    WINDOW(
            "window",
            Side.NONE,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "one term; over UDP the driver's",
            "from 4k to 1g, such as 8m",
            "Bytes that a publisher may be ahead of the subscribers at this endpoint.") {
        @Override
        Object parse(String value) {
            return size(value, MIN_WINDOW, MAX_WINDOW, bytes -> true);
        }
    },

    /** Value: Boolean. */
    RELIABLE(
            "reliable",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "true",
            "true or false",
            "Whether the receiver asks again for what was lost; otherwise padding takes its"
                    + " place.") {
        @Override
        Object parse(String value) {
            return truth(value);
        }
    },

    /** Value: String. */
    CONGESTION_CONTROL(
            "cc",
            Side.NONE,
            Side.NONE,
            Side.SUBSCRIPTION,
            "the driver's",
            "static or cubic",
            "Congestion control: a fixed window, or one that losses narrow.") {
        @Override
        Object parse(String value) {
            if (!value.equals("static") && !value.equals("cubic")) {
                throw wrong(value);
            }
            return value;
        }
    },

    /** Value: String. */
    FLOW_CONTROL(
            "fc",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "max",
            FlowChoice.RIGHT,
            "Which of several receivers decides how far the publication goes.") {
        @Override
        Object parse(String value) {
            if (FlowChoice.parse(value) == null) {
                throw wrong(value);
            }
            return value;
        }
    },

    /** Value: Long. */
    GROUP_TAG(
            "gtag",
            Side.NONE,
            Side.SUBSCRIPTION,
            Side.SUBSCRIPTION,
            "none",
            "a whole number of 64 bits, such as 7",
            "Tag of this receiver, by which flow control can choose it.") {
        @Override
        Object parse(String value) {
            if (!isTag(value)) {
                throw wrong(value);
            }
            return Long.parseLong(value);
        }
    },

    /** Value: Boolean. */
    SPIES_CONNECT(
            "ssc",
            Side.NONE,
            Side.PUBLICATION,
            Side.PUBLICATION,
            "false",
            "true or false",
            "Whether a publication that only spies read is connected and goes on.") {
        @Override
        Object parse(String value) {
            return truth(value);
        }
    },

    /** Value: Duration. */
    LINGER(
            "linger",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the driver's",
            "from 0s to 60s with a unit of ns, us, ms or s, such as 500ms",
            "Time for which a closed publication still answers for what was lost.") {
        @Override
        Object parse(String value) {
            if (DURATION.matcher(value).matches()) {
                try {
                    long ns = SystemUtil.parseDuration("linger", value);
                    if (ns <= MAX_LINGER_NS) {
                        return Duration.ofNanos(ns);
                    }
                } catch (NumberFormatException e) {
                    throw wrong(value); // too long even for a long
                }
            }
            throw wrong(value);
        }
    },

    /** Value: Integer. */
    TTL(
            "ttl",
            Side.NONE,
            Side.NONE,
            Side.PUBLICATION,
            "the system's",
            "a whole number from 0 to 255, such as 4",
            "Hops that datagrams may take.") {
        @Override
        Object parse(String value) {
            return number(value, 0, 255);
        }
    },

    /** Value: Integer. */
    SESSION_ID(
            "session-id",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "the driver's choice; any for a subscription",
            "a whole number from -2147483648 to 2147483647, such as 42",
            "Session of the publication, or the one that a subscription takes.") {
        @Override
        Object parse(String value) {
            if (WHOLE.matcher(value).matches()) {
                long number = Long.parseLong(value);
                if (number == (int) number) {
                    return (int) number;
                }
            }
            throw wrong(value);
        }
    },

    /** Value: String. */
    ALIAS(
            "alias",
            Side.BOTH,
            Side.BOTH,
            Side.BOTH,
            "none",
            "1 to 100 printable ASCII characters other than '|'",
            "Name for people.") {
        @Override
        Object parse(String value) {
            if (!NAME.matcher(value).matches()) {
                throw wrong(value);
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
    private static final long MAX_LINGER_NS = 60_000_000_000L;
    private static final Pattern DURATION = Pattern.compile("[0-9]{1,11}(ns|us|ms|s)");
    private static final Pattern FEW_DIGITS = Pattern.compile("[0-9]{1,3}");
    private static final Pattern DEVICE_NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,63}");
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,10}[kKmMgG]?");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,10}");
    private static final Pattern NAME = Pattern.compile("[ -{}~]{1,100}");

    private final String text;
    private final Side ipc;
    private final Side rdma;
    private final Side udp;
    private final String preset;
    private final String right;
    private final String meaning;

    /**
     * @param text name of the key.
     * @param ipc who may have it on shared memory.
     * @param rdma who may have it over RDMA.
     * @param udp who may have it over UDP.
     * @param preset what holds without the key, for people.
     * @param right what a value must be.
     * @param meaning one sentence.
     */
    ChannelKey(
            String text,
            Side ipc,
            Side rdma,
            Side udp,
            String preset,
            String right,
            String meaning) {
        this.text = text;
        this.ipc = ipc;
        this.rdma = rdma;
        this.udp = udp;
        this.preset = preset;
        this.right = right;
        this.meaning = meaning;
    }

    /** Whose channel may have a key. */
    enum Side {
        NONE,
        PUBLICATION,
        SUBSCRIPTION,
        BOTH
    }

    /** Whose channel may have the key on a media. */
    Side side(ChannelMedia media) {
        return switch (media) {
            case IPC -> ipc;
            case RDMA -> rdma;
            case UDP -> udp;
        };
    }

    /** What holds without the key, for people. */
    String preset() {
        return preset;
    }

    /** What a value must be. */
    String right() {
        return right;
    }

    /** What the key does, in one sentence. */
    String meaning() {
        return meaning;
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
            default -> throw wrong(value);
        };
    }

    BusException wrong(String value) {
        return new BusException(text + " '" + value + "' is wrong: it must be " + right);
    }

    Integer number(String value, int min, int max) {
        if (FEW_DIGITS.matcher(value).matches()) {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw wrong(value);
    }

    private interface SizeCheck {
        boolean isRight(int bytes);
    }

    Integer size(String value, int min, int max, SizeCheck check) {
        long bytes = -1;
        if (SIZE.matcher(value).matches()) {
            try {
                bytes = SystemUtil.parseSize(text, value);
            } catch (NumberFormatException e) {
                throw wrong(value); // too large even for a long
            }
        }
        if (bytes < min || bytes > max || !check.isRight((int) bytes)) {
            throw wrong(value);
        }
        return (int) bytes;
    }
}
