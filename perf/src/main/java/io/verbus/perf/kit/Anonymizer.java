// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.kit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces what tells whose host this is: addresses of networks and hardware, identifiers of
 * devices, and the words that it is given. Each stays the same one throughout: two places that had
 * the same address have the same name for it.
 */
final class Anonymizer {
    /** Shorter words are too likely to be a part of something else. */
    private static final int LEAST_LENGTH = 2;

    private static final String IPV4 =
            "(?<![\\w.-])(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)"
                    + "(?![\\w-]|\\.\\d)";

    /** Of hardware, six bytes or more with colons, as InfiniBand's are long. */
    private static final String HARDWARE =
            "(?<![\\w:])(?:[0-9a-fA-F]{2}:){5,19}[0-9a-fA-F]{2}(?![\\w:])";

    /** A GUID, as {@code /sys/class/infiniband} has it. */
    private static final String GUID = "(?<![\\w:])(?:[0-9a-fA-F]{4}:){3}[0-9a-fA-F]{4}(?![\\w:])";

    /** At least two colons, and a group of hexadecimal digits at the one end or at the other. */
    private static final String IPV6 =
            "(?<![\\w:.])(?:(?:[0-9a-fA-F]{1,4}:){1,7}(?::[0-9a-fA-F]{1,4}){1,7}"
                    + "|(?:[0-9a-fA-F]{1,4}:){2,7}:"
                    + "|::(?:[0-9a-fA-F]{1,4}:){0,6}[0-9a-fA-F]{1,4}"
                    + "|(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4})(?![\\w:])";

    private static final Pattern ADDRESSES =
            Pattern.compile(
                    "(?<ipv4>"
                            + IPV4
                            + ")|(?<hardware>"
                            + HARDWARE
                            + ")|(?<guid>"
                            + GUID
                            + ")|(?<ipv6>"
                            + IPV6
                            + ")");

    private static final List<String> KINDS = List.of("ipv4", "hardware", "guid", "ipv6");

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
                KINDS.stream().filter(name -> match.group(name) != null).findFirst().orElseThrow();
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
