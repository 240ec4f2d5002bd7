// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes maps, lists, strings, numbers, booleans and null as JSON, indented by two spaces per
 * level.
 */
public final class JsonWriter {
    private static final int WHOLE = 1000;
    private static final int DIGITS = 6;

    private JsonWriter() {}

    /**
     * Formats a value.
     *
     * @param value value of one of the types above; any other value is written as its string.
     * @return text that ends with a newline.
     */
    public static String write(Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value, "");
        return text.append('\n').toString();
    }

    private static void append(StringBuilder text, Object value, String indent) {
        switch (value) {
            case null -> text.append("null");
            case Map<?, ?> map -> appendMap(text, map, indent);
            case List<?> list -> appendList(text, list, indent);
            case Boolean flag -> text.append(flag);
            case Double number -> appendNumber(text, number);
            case Number number -> text.append(number);
            default -> appendString(text, value.toString());
        }
    }

    private static void appendMap(StringBuilder text, Map<?, ?> map, String indent) {
        String inner = indent + "  ";
        text.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            text.append('\n').append(inner);
            appendString(text, entry.getKey().toString());
            text.append(": ");
            append(text, entry.getValue(), inner);
            text.append(entries.hasNext() ? "," : "\n" + indent);
        }
        text.append('}');
    }

    private static void appendList(StringBuilder text, List<?> list, String indent) {
        String inner = indent + "  ";
        text.append('[');
        Iterator<?> values = list.iterator();
        while (values.hasNext()) {
            text.append('\n').append(inner);
            append(text, values.next(), inner);
            text.append(values.hasNext() ? "," : "\n" + indent);
        }
        text.append(']');
    }

    /** Appends at least three decimals' precision, and six digits of small numbers. */
    private static void appendNumber(StringBuilder text, double number) {
        if (!Double.isFinite(number)) {
            text.append("null");
        } else if (Math.abs(number) >= WHOLE) {
            text.append(String.format(Locale.ROOT, "%.3f", number));
        } else {
            text.append(new BigDecimal(number).round(new MathContext(DIGITS)).toPlainString());
        }
    }

    private static void appendString(StringBuilder text, String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                default -> {
                    if (c < ' ') {
                        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
