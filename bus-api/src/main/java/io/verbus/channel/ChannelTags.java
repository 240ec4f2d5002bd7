// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers by which other channels of the same driver name what a channel stands for.
 *
 * @param place tag of the place that is sent to or received at; empty if it has none.
 * @param publication tag of the publication itself; empty if it has none.
 */
public record ChannelTags(OptionalLong place, OptionalLong publication) {
    /** Of a channel that has no tags. */
    static final ChannelTags NONE = new ChannelTags(OptionalLong.empty(), OptionalLong.empty());

    /** What a text must be. */
    static final String RIGHT =
            "a tag of the endpoint, a tag of the publication after a comma, or both, each a whole"
                    + " number of 64 bits but -1, such as 1001,1002";

    private static final Pattern FORM =
            Pattern.compile("(?<place>-?[0-9]{1,19})?(?:,(?<publication>-?[0-9]{1,19}))?");

    /** The tags that a text gives; null if it is wrong. */
    static ChannelTags parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (text.isEmpty() || !matcher.matches()) {
            return null;
        }
        OptionalLong place = tag(matcher.group("place"));
        OptionalLong publication = tag(matcher.group("publication"));
        return place == null || publication == null ? null : new ChannelTags(place, publication);
    }

    private static OptionalLong tag(String text) {
        if (text == null) {
            return OptionalLong.empty();
        }
        Long tag = ValueForm.tag(text);
        return tag == null || tag == -1 ? null : OptionalLong.of(tag);
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        return (place.isPresent() ? Long.toString(place.getAsLong()) : "")
                + (publication.isPresent() ? "," + publication.getAsLong() : "");
    }
}
