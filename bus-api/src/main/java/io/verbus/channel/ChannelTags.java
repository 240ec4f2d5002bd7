// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers by which other channels of the same driver refer to a channel.
 *
 * @param place tag of the channel's address; empty if it has none.
 * @param publication tag of the publication itself; empty if it has none.
 */
public record ChannelTags(OptionalLong place, OptionalLong publication) {
    /** The tags of a channel without tags. */
    static final ChannelTags NONE = new ChannelTags(OptionalLong.empty(), OptionalLong.empty());

    /** Describes a valid text. */
    static final String RIGHT =
            "an endpoint tag, a publication tag preceded by a comma, or both, each a 64-bit integer"
                    + " other than -1, such as 1001,1002";

    private static final Pattern FORM =
            Pattern.compile("(?<place>-?[0-9]{1,19})?(?:,(?<publication>-?[0-9]{1,19}))?");

    /** Parses tags; returns null if the text is invalid. */
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
        return tag == null ? null : OptionalLong.of(tag);
    }

    /** Returns whether no tag is -1, which stands for none. */
    boolean isRight() {
        return place.orElse(0) != -1 && publication.orElse(0) != -1;
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return (place.isPresent() ? Long.toString(place.getAsLong()) : "")
                + (publication.isPresent() ? "," + publication.getAsLong() : "");
    }
}
