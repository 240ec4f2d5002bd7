// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import org.agrona.SystemUtil;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The choice of the receiver of a group that limits a publication.
 *
 * @param strategy how the receiver is chosen.
 * @param tag tag of the receivers to choose from; empty for any, or for the driver's tag.
 * @param groupSize number of receivers required before the publication is connected, where 0 counts
 *     as 1; empty if the driver chooses.
 * @param timeout time after which a silent receiver no longer counts; null if the driver chooses.
 */
public record FlowChoice(
        Strategy strategy, OptionalLong tag, OptionalInt groupSize, Duration timeout) {
    /** Describes a valid text. */
    static final String RIGHT =
            "max, min,g:/SIZE,t:TIME or tagged,g:TAG/SIZE,t:TIME, where g: and t: are optional and"
                    + " SIZE is from 0 to 64, such as min,t:2s";

    private static final Pattern GROUP =
            Pattern.compile("g:(?<tag>-?[0-9]{1,19})?(?:/(?<size>[0-9]|[1-5][0-9]|6[0-4]))?");
    private static final long MIN_TIMEOUT_NS = 1_000_000;
    private static final long MAX_TIMEOUT_NS = 60_000_000_000L;

    /** How the receiver is chosen. */
    public enum Strategy {
        /** The most advanced receiver. */
        MAX,
        /** The slowest receiver. */
        MIN,
        /** The slowest receiver with a tag. */
        TAGGED
    }

    /** Parses a choice; returns null if the text is invalid. */
    static FlowChoice parse(String text) {
        String[] parts = text.split(",", -1);
        Strategy strategy =
                switch (parts[0]) {
                    case "max" -> Strategy.MAX;
                    case "min" -> Strategy.MIN;
                    case "tagged" -> Strategy.TAGGED;
                    default -> null;
                };
        FlowChoice choice =
                new FlowChoice(strategy, OptionalLong.empty(), OptionalInt.empty(), null);
        for (int i = 1; i < parts.length && choice != null; i++) {
            choice =
                    parts[i].startsWith("t:")
                            ? choice.withTimeout(parts[i].substring(2))
                            : choice.withGroup(parts[i]);
        }
        boolean isRight =
                strategy != null
                        && choice != null
                        && (strategy != Strategy.MAX || parts.length < 2);
        return isRight ? choice : null;
    }

    private FlowChoice withTimeout(String time) {
        Duration read = ValueForm.time(time);
        return timeout != null
                        || read == null
                        || read.toNanos() < MIN_TIMEOUT_NS
                        || read.toNanos() > MAX_TIMEOUT_NS
                ? null
                : new FlowChoice(strategy, tag, groupSize, read);
    }

    private FlowChoice withGroup(String group) {
        Matcher matcher = GROUP.matcher(group);
        if (!matcher.matches() || tag.isPresent() || groupSize.isPresent()) {
            return null;
        }
        String tagText = matcher.group("tag");
        String size = matcher.group("size");
        Long read = tagText == null ? null : ValueForm.tag(tagText);
        boolean isRight =
                tagText == null ? size != null : read != null && strategy == Strategy.TAGGED;
        return isRight
                ? new FlowChoice(
                        strategy,
                        read == null ? OptionalLong.empty() : OptionalLong.of(read),
                        size == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(size)),
                        timeout)
                : null;
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder(
                        switch (strategy) {
                            case MAX -> "max";
                            case MIN -> "min";
                            case TAGGED -> "tagged";
                        });
        if (tag.isPresent() || groupSize.isPresent()) {
            text.append(",g:");
        }
        tag.ifPresent(text::append);
        groupSize.ifPresent(size -> text.append('/').append(size));
        if (timeout != null) {
            text.append(",t:").append(SystemUtil.formatDuration(timeout.toNanos()));
        }
        return text.toString();
    }
}
