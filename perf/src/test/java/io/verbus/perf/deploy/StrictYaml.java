// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.deploy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Parses files into types, and rejects fields that the types do not have. */
final class StrictYaml {
    private static final ObjectMapper YAML = strict(new ObjectMapper(new YAMLFactory()));
    private static final ObjectMapper JSON = strict(JsonMapper.builder().build());

    private StrictYaml() {}

    /** Parses a file with one document into a tree. */
    static JsonNode tree(Path file) {
        return parse(text(file), JsonNode.class);
    }

    /** Parses a file with one document into a type. */
    static <T> T read(Path file, Class<T> type) {
        return parse(text(file), type);
    }

    /** Parses a YAML document. */
    static <T> T parse(String yaml, Class<T> type) {
        return parse(YAML, yaml, type);
    }

    /** Parses a JSON document. */
    static <T> T parseJson(String json, Class<T> type) {
        return parse(JSON, json, type);
    }

    private static <T> T parse(ObjectMapper mapper, String text, Class<T> type) {
        try {
            return mapper.readValue(text, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private static String text(Path file) {
        try {
            String text = Files.readString(file);
            if (text.lines().anyMatch(line -> line.startsWith("---"))) {
                throw new AssertionError(file + " has more documents than one");
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectMapper strict(ObjectMapper mapper) {
        return mapper.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .setAnnotationIntrospector(
                        new JacksonAnnotationIntrospector() {
                            private static final long serialVersionUID = 1;

                            /** Overrides Kubernetes' types, which would collect unknown fields. */
                            @Override
                            public Boolean hasAnySetter(Annotated annotated) {
                                return false;
                            }
                        });
    }
}
