// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.Collection;

/** Suggests the known word that a misspelt one most likely stands for. */
public final class Spelling {
    /** A suggestion may differ in one of so many letters. */
    private static final int LETTERS_PER_EDIT = 3;

    private static final int MAX_EDITS = 3;

    private Spelling() {}

    /**
     * Returns a suggestion as part of an error message.
     *
     * @param word word that is not known.
     * @param known all known words.
     * @return text such as {@code (did you mean 'endpoint'?)} after a space; empty if no known word
     *     is similar.
     */
    public static String hint(String word, Collection<String> known) {
        String nearest = nearest(word, known);
        return nearest == null ? "" : " (did you mean '" + nearest + "'?)";
    }

    /**
     * Returns the most similar word; null if none is similar.
     *
     * @param word word that is not known.
     * @param known all known words.
     */
    public static String nearest(String word, Collection<String> known) {
        int limit = Math.clamp(word.length() / LETTERS_PER_EDIT, 1, MAX_EDITS);
        String nearest = null;
        int least = limit + 1;
        for (String each : known) {
            int edits = edits(word, each);
            if (edits < least) {
                least = edits;
                nearest = each;
            }
        }
        return nearest;
    }

    /**
     * Returns how many letters must be inserted, deleted, replaced, or exchanged with their
     * neighbour, to make one word the other.
     */
    private static int edits(String one, String other) {
        int[][] edits = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int k = 0; k <= other.length(); k++) {
                if (i == 0 || k == 0) {
                    edits[i][k] = i + k;
                    continue;
                }
                boolean isSame = one.charAt(i - 1) == other.charAt(k - 1);
                int least = edits[i - 1][k - 1] + (isSame ? 0 : 1);
                least = Math.min(least, Math.min(edits[i - 1][k], edits[i][k - 1]) + 1);
                boolean isExchanged =
                        i > 1
                                && k > 1
                                && one.charAt(i - 1) == other.charAt(k - 2)
                                && one.charAt(i - 2) == other.charAt(k - 1);
                edits[i][k] = isExchanged ? Math.min(least, edits[i - 2][k - 2] + 1) : least;
            }
        }
        return edits[one.length()][other.length()];
    }
}
