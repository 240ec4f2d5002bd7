// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import org.agrona.SystemUtil;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which receiver of a group decides how far a publication goes.
 *
 * @param strategy that chooses it.
 * @param tag of the receivers that decide; empty if any may, or the driver's tag holds.
 * @param groupSize receivers that must be there before the publication is connected, 0 as 1; empty
 *     if the driver chooses.
 * @param timeout after which a silent receiver does not count; null if the driver chooses.
 */
public record FlowChoice(
        Strategy strategy, OptionalLong tag, OptionalInt groupSize, Duration timeout) {
    /** What a text must be. */
    static final String RIGHT =
            "max, min,g:/SIZE,t:TIME or tagged,g:TAG/SIZE,t:TIME with a SIZE from 0 to 64, or parts"
                    + " of these, such as min,t:2s";

    private static final Pattern GROUP =
            Pattern.compile("g:(?<tag>-?[0-9]{1,19})?(?:/(?<size>[0-9]|[1-5][0-9]|6[0-4]))?");
    private static final long MIN_TIMEOUT_NS = 1_000_000;

    /** Who decides. */
    public enum Strategy {
        /** The receiver that is furthest. */
        MAX,
        /** The one that is furthest behind. */
        MIN,
        /** The one that is furthest behind of those that have a tag. */
        TAGGED
    }

    /** The choice that a text makes; null if it makes none. */
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
        Duration read = ValueForm.upToAMinute(time);
        return timeout != null || read == null || read.toNanos() < MIN_TIMEOUT_NS
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

    /** The text that makes this choice. */
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
