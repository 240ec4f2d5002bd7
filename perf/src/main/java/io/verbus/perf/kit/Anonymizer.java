// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.kit;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces what tells whose host this is: addresses of networks and hardware, identifiers of
 * devices and machines, names of hosts with their domains, and the words that it is given. Each
 * stays the same one throughout: two places that had the same address have the same name for it.
 *
 * <p>It matches widely. A version number that looks like an address goes with them.
 */
final class Anonymizer {
    /** Shorter words are too likely to be a part of something else. */
    private static final int LEAST_LENGTH = 2;

    private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final String HEX = "[0-9a-fA-F]";

    /** Nothing of an address before it; a word with a colon may be, such as {@code GID:}. */
    private static final String START = "(?:(?<![\\w:.])|(?<=[g-zG-Z_]\\w{0,16}:))";

    /** Alone, or behind a hyphen and a word or address; not a number, as there are in versions. */
    private static final String IPV4 =
            "(?:(?<![A-Za-z0-9.-])|(?<=[A-Za-z_]-)|(?<=\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}-))(?:"
                    + OCTET
                    + "\\.){3}"
                    + OCTET
                    + "(?![A-Za-z0-9]|\\.\\d)";

    /** As clouds name hosts. */
    private static final String DASHED = "(?<![A-Za-z0-9])ip-(?:\\d{1,3}-){3}\\d{1,3}(?!\\w)";

    /** IPv6 with an IPv4 address in it, as GIDs of RoCE are written. */
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

    /** Of hardware, six bytes or more with colons, as InfiniBand's are long, or with hyphens. */
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

    /** A GID as perftest prints it: sixteen bytes, each as a decimal number. */
    private static final String DECIMAL_GID = START + "(?:\\d{1,3}:){15}\\d{1,3}(?![\\w:])";

    /**
     * A GUID as in {@code /sys/class/infiniband}, behind 0x or S- or H-, or alone; a GID as one.
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

    /** At least two colons, and a group of hexadecimal digits at the one end or at the other. */
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

    /** The first half of a GID, as the command rdma prints the prefix of a subnet. */
    private static final String PREFIX = "(?<=subnet_prefix )(?:" + HEX + "{1,4}:){3}" + HEX + "+";

    /** Endings that no file and no package of Java has, or that two names stand before. */
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
     * Hides a word wherever it stands alone, in any case.
     *
     * @param word such as the host's name.
     * @param replacement for it.
     */
    void hide(String word, String replacement) {
        if (word != null && word.length() >= LEAST_LENGTH) {
            words.put(word, replacement);
        }
    }

    /** The text without them. */
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

    /** Those of any host: loopback, and all interfaces. */
    private static boolean isEverywhere(String address) {
        return address.startsWith("127.")
                || address.equals("0.0.0.0")
                || address.equals("::1")
                || address.equals("::");
    }
}
