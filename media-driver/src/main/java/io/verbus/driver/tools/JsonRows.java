// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

/** Writes a list of flat JSON objects, member by member. */
final class JsonRows {
    private final StringBuilder text = new StringBuilder("[");
    private boolean isFirstObject = true;
    private boolean isFirstMember;

    JsonRows begin() {
        text.append(isFirstObject ? "\n  {" : ",\n  {");
        isFirstObject = false;
        isFirstMember = true;
        return this;
    }

    JsonRows put(String name, long value) {
        return member(name, Long.toString(value));
    }

    JsonRows put(String name, String value) {
        return member(name, quote(value));
    }

    JsonRows end() {
        text.append('}');
        return this;
    }

    /** Returns the list in one line. */
    String line() {
        return text.toString().replace("\n  ", "") + "]";
    }

    private JsonRows member(String name, String value) {
        text.append(isFirstMember ? "" : ", ").append(quote(name)).append(": ").append(value);
        isFirstMember = false;
        return this;
    }

    private static String quote(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ') {
                        quoted.append(String.format("\\u%04x", (int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text + "\n]";
    }
}
