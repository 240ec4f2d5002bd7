// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class JsonTest {
    @Test
    void writesEveryType() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "say \"hi\"\\\n\u0001é");
        map.put("whole", 1L << 60);
        map.put("number", 1.23456);
        map.put("infinite", 1.0 / 0);
        map.put("flag", true);
        map.put("list", Arrays.asList(1, null));
        map.put("inner", Map.of("a", 2));

        assertEquals(
                """
                {
                  "text": "say \\"hi\\"\\\\\\u000a\\u0001é",
                  "whole": 1152921504606846976,
                  "number": 1.235,
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
                Json.write(map));
    }

    @Test
    void writesEmptyCollections() {
        assertEquals("{}\n", Json.write(Map.of()));
        assertEquals("[]\n", Json.write(List.of()));
    }
}
