// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class JsonWriterTest {
    @Test
    void writesEveryType() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "say \"hi\"\\\n\u0001é");
        map.put("whole", 1L << 60);
        map.put("number", 1.23456789);
        map.put("small", 0.000123456789);
        map.put("large", 1234567.891234);
        map.put("infinite", 1.0 / 0);
        map.put("flag", true);
        map.put("list", Arrays.asList(1, null));
        map.put("inner", Map.of("a", 2));

        assertEquals(
                """
                {
                  "text": "say \\"hi\\"\\\\\\u000a\\u0001é",
                  "whole": 1152921504606846976,
                  "number": 1.23457,
                  "small": 0.000123457,
                  "large": 1234567.891,
                  "infinite": null,
                  "flag": true,
                  "list": [
                    1,
                    null
                  ],
                  "inner": {
                    "a": 2
                  }
                }
                """,
                JsonWriter.write(map));
    }

    @Test
    void writesEmptyCollections() {
        assertEquals("{}\n", JsonWriter.write(Map.of()));
        assertEquals("[]\n", JsonWriter.write(List.of()));
    }

    @Test
    void parsesOwnOutput() {
        String json =
                JsonWriter.write(
                        Map.of(
                                "a",
                                Arrays.asList(1.5, null, true, "say \"hi\"\n\u0001é", List.of())));
        assertEquals(json, JsonWriter.write(JsonParser.parse(json)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"a" 1} | expected a colon at character 6
                    [1 2] | expected a comma or ] at character 4
                    {1: 2} | expected a key at character 2
                    "open | expected a quotation mark at character 6
                    1 1 | expected the end of the text at character 3
                    nul | expected null at character 1
                    """)
    void reportsPositionOfSyntaxError(String text, String message) {
        IllegalArgumentException ex =
                assertThrows(IllegalArgumentException.class, () -> JsonParser.parse(text));
        assertEquals(message, ex.getMessage());
    }
}
