// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces text that identifies a host or its owner: network and hardware addresses, identifiers of
 * devices and machines, host names with domains, and the words passed to {@link #hide}. Equal
 * originals get equal replacements.
 *
 * <p>The patterns match liberally: a version number that looks like an address is replaced, too.
 */
final class Anonymizer {
    /** Minimum length of a hidden word; shorter ones are likely to be part of other words. */
    private static final int LEAST_LENGTH = 2;

    private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final String HEX = "[0-9a-fA-F]";

    /**
     * Start of an address: not preceded by part of another address, but possibly by a word with a
     * colon, such as {@code GID:}.
     */
    private static final String START = "(?:(?<![\\w:.])|(?<=[g-zG-Z_]\\w{0,16}:))";

    /**
     * IPv4 address that stands alone, or follows a word or address and a hyphen; not part of a
     * version number.
     */
    private static final String IPV4 =
            "(?:(?<![A-Za-z0-9.-])|(?<=[A-Za-z_]-)|(?<=\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}-))(?:"
                    + OCTET
                    + "\\.){3}"
                    + OCTET
                    + "(?![A-Za-z0-9]|\\.\\d)";

    /** Host name that a cloud provider derives from an IPv4 address. */
    private static final String DASHED = "(?<![A-Za-z0-9])ip-(?:\\d{1,3}-){3}\\d{1,3}(?!\\w)";

    /** IPv6 address with an embedded IPv4 address, as in RoCE GIDs. */
    private static final String MAPPED =
            START
                    + "(?:::|(?:"
                    + HEX
                    + "{1,4}:){1,6}:?)(?:"
                    + HEX
                    + "{1,4}:){0,5}(?:"
                    + OCTET
                    + "\\.){3}"
                    + OCTET
                    + "(?!\\w|\\.\\d)";

    /**
     * Hardware address: six or more bytes separated by colons, because InfiniBand's are longer, or
     * six separated by hyphens.
     */
    private static final String HARDWARE =
            START
                    + "(?:"
                    + HEX
                    + "{2}:){5,19}"
                    + HEX
                    + "{2}(?![\\w:])|(?<![\\w-])(?:"
                    + HEX
                    + "{2}-){5}"
                    + HEX
                    + "{2}(?![\\w-])|(?<!\\w)(?:"
                    + HEX
                    + "{4}\\.){2}"
                    + HEX
                    + "{4}(?![\\w.])|(?<=\\benx)"
                    + HEX
                    + "{12}\\b";

    /** GID in perftest's format: sixteen decimal bytes. */
    private static final String DECIMAL_GID = START + "(?:\\d{1,3}:){15}\\d{1,3}(?![\\w:])";

    /**
     * GUID as in {@code /sys/class/infiniband}, after 0x, S- or H-, or alone; also a GID without
     * colons.
     */
    private static final String GUID =
            START
                    + "(?:"
                    + HEX
                    + "{4}:){3}"
                    + HEX
                    + "{4}(?![\\w:])|(?<!\\w)0[xX](?:"
                    + HEX
                    + "{32}|"
                    + HEX
                    + "{16})(?!\\w)|(?<![A-Za-z0-9])(?=\\d*[a-fA-F])(?:"
                    + HEX
                    + "{32}|"
                    + HEX
                    + "{16})(?!\\w)|(?<=\\b[SHCR]-)"
                    + HEX
                    + "{16}(?!\\w)";

    private static final String UUID =
            "(?<!\\w)" + HEX + "{8}(?:-" + HEX + "{4}){3}-" + HEX + "{12}(?!\\w)";

    /** At least two colons, and a group of hexadecimal digits at the start or the end. */
    private static final String IPV6 =
            START
                    + "(?:(?:"
                    + HEX
                    + "{1,4}:){1,7}(?::"
                    + HEX
                    + "{1,4}){1,7}|(?:"
                    + HEX
                    + "{1,4}:){2,7}:|::(?:"
                    + HEX
                    + "{1,4}:){0,6}"
                    + HEX
                    + "{1,4}|(?:"
                    + HEX
                    + "{1,4}:){7}"
                    + HEX
                    + "{1,4})(?![\\w:])";

    /**
     * First half of a GID, in the format in which the command {@code rdma} prints a subnet prefix.
     */
    private static final String PREFIX = "(?<=subnet_prefix )(?:" + HEX + "{1,4}:){3}" + HEX + "+";

    /**
     * Top-level domains that are not file or Java package suffixes, or that follow at least two
     * labels.
     */
    private static final String DOMAIN =
            "(?<![\\w./-])(?:[a-zA-Z0-9_](?:[\\w-]*[a-zA-Z0-9])?\\.)+"
                    + "(?:com|org|edu|gov|mil|local|localdomain|lan|internal|intern|intranet|corp"
                    + "|home|cluster|cloud|example|test|invalid|(?<=[\\w-]\\.[\\w-]{1,63}\\.)"
                    + "(?:net|(?!so|sh|md|py|gz|ko|js|rs|cc|pl|id|in|to|is|at)[a-z]{2}))"
                    + "(?![\\w-]|\\.\\w)";

    private static final Map<String, String> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("mapped", MAPPED);
        KINDS.put("uuid", UUID);
        KINDS.put("ipv4", IPV4);
        KINDS.put("dashed", DASHED);
        KINDS.put("hardware", HARDWARE);
        KINDS.put("gid", DECIMAL_GID);
        KINDS.put("guid", GUID);
        KINDS.put("prefix", PREFIX);
        KINDS.put("ipv6", IPV6);
        KINDS.put("domain", DOMAIN);
    }

    private static final Pattern ADDRESSES =
            Pattern.compile(
                    KINDS.entrySet().stream()
                            .map(kind -> "(?<" + kind.getKey() + ">" + kind.getValue() + ")")
                            .collect(Collectors.joining("|")));

    private final Map<String, String> words = new LinkedHashMap<>();
    private final Map<String, String> addresses = new LinkedHashMap<>();

    /**
     * Hides a word wherever it stands alone, ignoring case.
     *
     * @param word word to hide, such as the host's name; ignored if null or too short.
     * @param replacement text to show instead.
     */
    void hide(String word, String replacement) {
        if (word != null && word.length() >= LEAST_LENGTH) {
            words.put(word, replacement);
        }
    }

    /** Returns the text with all identifying parts replaced. */
    String apply(String text) {
        String left = text;
        for (Map.Entry<String, String> word : words.entrySet()) {
            String alone = "(?<![A-Za-z0-9])" + Pattern.quote(word.getKey()) + "(?![A-Za-z0-9])";
            left =
                    Pattern.compile(alone, Pattern.CASE_INSENSITIVE)
                            .matcher(left)
                            .replaceAll(Matcher.quoteReplacement(word.getValue()));
        }
        return ADDRESSES.matcher(left).replaceAll(this::name);
    }

    private String name(MatchResult match) {
        String address = match.group().toLowerCase(Locale.ROOT);
        if (isEverywhere(address)) {
            return address;
        }
        String kind =
                KINDS.keySet().stream()
                        .filter(name -> match.group(name) != null)
                        .findFirst()
                        .orElseThrow();
        return addresses.computeIfAbsent(address, any -> kind + "-" + (addresses.size() + 1));
    }

    /** Returns whether the address is the same on every host: loopback or wildcard. */
    private static boolean isEverywhere(String address) {
        return address.startsWith("127.")
                || address.equals("0.0.0.0")
                || address.equals("::1")
                || address.equals("::");
    }
}
