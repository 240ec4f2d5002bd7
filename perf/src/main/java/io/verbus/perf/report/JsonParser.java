// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses JSON into maps, lists, strings, doubles, booleans and null. */
final class JsonParser {
    private static final int MAX_DEPTH = 100;

    private final String text;
    private int at;
    private int depth;

    private JsonParser(String text) {
        this.text = text;
    }

    /**
     * Parses a text.
     *
     * @throws IllegalArgumentException if it is not JSON; the message says where and why.
     */
    static Object parse(String text) {
        JsonParser parser = new JsonParser(text);
        Object value = parser.value();
        if (parser.peek() != '\0') {
            throw parser.wrong("the end of the text");
        }
        return value;
    }

    private Object value() {
        if (++depth > MAX_DEPTH) {
            throw wrong("at most " + MAX_DEPTH + " levels");
        }
        Object value =
                switch (peek()) {
                    case '{' -> map();
                    case '[' -> list();
                    case '"' -> string();
                    case 't' -> word("true", true);
                    case 'f' -> word("false", false);
                    case 'n' -> word("null", null);
                    default -> number();
                };
        depth--;
        return value;
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (more(map.isEmpty(), '}')) {
            if (peek() != '"') {
                throw wrong("a key");
            }
            String key = string();
            if (peek() != ':') {
                throw wrong("a colon");
            }
            at++;
            map.put(key, value());
        }
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        at++;
        while (more(list.isEmpty(), ']')) {
            list.add(value());
        }
        return list;
    }

    /** Returns whether another element follows, and skips the comma or the end. */
    private boolean more(boolean isFirst, char end) {
        char c = peek();
        if (c == end) {
            at++;
            return false;
        }
        if (!isFirst) {
            if (c != ',') {
                throw wrong("a comma or " + end);
            }
            at++;
        }
        return true;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return string.toString();
            }
            string.append(c == '\\' ? escape() : c);
        }
        throw wrong("a quotation mark");
    }

    private char escape() {
        char c = at < text.length() ? text.charAt(at++) : '\0';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (at + 4 > text.length()) {
                    throw wrong("four hexadecimal digits");
                }
                at += 4;
                yield (char) Integer.parseInt(text, at - 4, at, 16);
            }
            default -> throw wrong("an escape");
        };
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong(word);
        }
        at += word.length();
        return value;
    }

    private double number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (at == start) {
            throw wrong("a value");
        }
        return Double.parseDouble(text.substring(start, at));
    }

    /** Skips white space; returns the next character, or 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("expected " + expected + " at character " + (at + 1));
    }
}
