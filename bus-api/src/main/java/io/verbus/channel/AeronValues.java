// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Parses the values of {@code aeron:} channels as Aeron's driver does, which accepts more spellings
 * and wider ranges than {@link ValueForm}. The table in {@code docs/reference/channels.md} lists
 * them.
 */
final class AeronValues {
    private static final Pattern SIGNED = Pattern.compile("[+-]?[0-9]{1,20}");
    private static final Pattern LEADING = Pattern.compile("(?<![0-9])(?:\\+|0+(?=[0-9]))+");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern TIME = Pattern.compile("[0-9]+[nNuUmM]?[sS]?");
    private static final Pattern FLOW_TIME = Pattern.compile("(?<=,t:)([0-9]+)(?=,|$)");
    private static final String TRUE = "true";
    private static final String FALSE = "false";
    private static final String NO_TAG = "-1";
    private static final String RESERVED_OFFSET = "-8";

    private AeronValues() {}

    /**
     * Translates a value of an Aeron channel.
     *
     * @param key key of the value.
     * @param value text after the key.
     * @return text for the key's {@link ValueForm}; null if the driver should use its default.
     */
    static String translate(ChannelKey key, String value) {
        return switch (key) {
            case RELIABLE, TETHER, REJOIN -> Boolean.toString(value.equals(TRUE));
            case END_OF_STREAM, SPIES_CONNECT -> Boolean.toString(Boolean.parseBoolean(value));
            case GROUP -> group(value);
            case CONTROL_MODE -> isControlMode(value) ? value : null;
            case ALIAS -> value.isEmpty() ? null : value;
            case SEND_BUFFER, RECEIVE_BUFFER -> atLeast(value, ValueForm.MIN_SOCKET_BUFFER);
            case WINDOW -> atLeast(value, ValueForm.MIN_WINDOW);
            case LINGER, NAK_DELAY -> withUnit(value);
            case UNTETHERED_WINDOW_LIMIT, UNTETHERED_LINGER, UNTETHERED_RESTING ->
                    ValueForm.withinAnHour(withUnit(value));
            case FLOW_CONTROL -> FLOW_TIME.matcher(value).replaceAll("$1ns");
            case TTL -> value.equals("0") ? null : plain(value);
            case TAGS -> value.equals(NO_TAG) ? null : LEADING.matcher(value).replaceAll("");
            case SEND_TIMESTAMP, RECEIVE_TIMESTAMP, MEDIA_TIMESTAMP ->
                    value.equals(RESERVED_OFFSET) ? ValueForm.RESERVED : value;
            case SESSION_ID, STREAM_ID, GROUP_TAG, MAX_RESEND -> plain(value);
            default -> value;
        };
    }

    private static String group(String value) {
        return switch (value) {
            case "infer" -> null;
            case TRUE -> TRUE;
            default -> FALSE;
        };
    }

    private static boolean isControlMode(String value) {
        return switch (value) {
            case ChannelKey.MANUAL, ChannelKey.DYNAMIC, ChannelKey.RESPONSE -> true;
            default -> false;
        };
    }

    /** Strips the plus sign and leading zeros of a whole number, which Aeron accepts. */
    private static String plain(String value) {
        return SIGNED.matcher(value).matches() ? LEADING.matcher(value).replaceAll("") : value;
    }

    /**
     * Raises a length to a minimum, as Aeron does; null for 0, which selects the driver's default.
     */
    private static String atLeast(String value, int least) {
        if (!NUMBER.matcher(value).matches()) {
            return value;
        }
        long bytes = Long.parseLong(value);
        return bytes == 0 ? null : Long.toString(Math.max(bytes, least));
    }

    /** Normalises a time: nanoseconds without a unit, and a unit in lower case. */
    private static String withUnit(String value) {
        if (!TIME.matcher(value).matches()) {
            return value;
        }
        return NUMBER.matcher(value).matches() ? value + "ns" : value.toLowerCase(Locale.ROOT);
    }
}
