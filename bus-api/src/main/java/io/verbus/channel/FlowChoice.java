// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which receiver of a group decides how far a publication goes.
 *
 * @param text of the choice.
 * @param tag of the receivers that decide; empty if any may.
 * @param groupSize receivers that must be there before the publication is connected.
 */
record FlowChoice(String text, OptionalLong tag, int groupSize) {
    /** What a text must be. */
    static final String RIGHT =
            "max, min, min,g:/SIZE, tagged,g:TAG or tagged,g:TAG/SIZE with a SIZE from 1 to 64,"
                    + " such as tagged,g:7/3";

    private static final Pattern FORM =
            Pattern.compile(
                    "max|min(?:,g:/(?<all>SIZE))?|tagged,g:(?<tag>-?[0-9]{1,19})(?:/(?<some>SIZE))?"
                            .replace("SIZE", "[1-9]|[1-5][0-9]|6[0-4]"));

    /** The choice that a text makes; null if it makes none. */
    static FlowChoice parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        String tag = matcher.group("tag");
        if (tag != null && ValueForm.tag(tag) == null) {
            return null;
        }
        String size = matcher.group("all") == null ? matcher.group("some") : matcher.group("all");
        return new FlowChoice(
                text,
                tag == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(tag)),
                size == null ? 1 : Integer.parseInt(size));
    }

    @Override
    public String toString() {
        return text;
    }
}
