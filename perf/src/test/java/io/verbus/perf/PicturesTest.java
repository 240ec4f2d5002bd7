// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/**
 * Checks the pictures in {@code docs/pictures}, which are written by hand: a browser can show them,
 * no label is outside, a page shows each, and the threads and files that they name exist.
 */
class PicturesTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Path PICTURES = DOCS.resolve("pictures");

    /** Names of threads and of files in the driver directory. */
    private static final Pattern NAME = Pattern.compile("verbus-[a-z-]+|[a-z-]+\\.dat");

    private static List<Path> pictures;

    @BeforeAll
    static void findPictures() throws IOException {
        pictures = files(PICTURES, file -> file.endsWith(".svg"));
        assertFalse(pictures.isEmpty(), "no picture in " + PICTURES);
    }

    @Test
    void labelsAreInsideThePicture() throws Exception {
        for (Path picture : pictures) {
            Document document =
                    DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(picture.toFile());
            String[] box = document.getDocumentElement().getAttribute("viewBox").split(" ");
            NodeList labels = document.getElementsByTagName("text");
            for (int i = 0; i < labels.getLength(); i++) {
                Element label = (Element) labels.item(i);
                double x = Double.parseDouble(label.getAttribute("x"));
                double y = Double.parseDouble(label.getAttribute("y"));
                boolean isInside =
                        x > 0
                                && x < Double.parseDouble(box[2])
                                && y > 0
                                && y < Double.parseDouble(box[3]);
                assertTrue(isInside, picture + ": " + label.getTextContent());
            }
        }
    }

    @Test
    void everyPictureIsOnAPage() throws IOException {
        StringBuilder pages = new StringBuilder();
        for (Path page : files(DOCS, file -> file.endsWith(".md"))) {
            pages.append(Files.readString(page));
        }
        for (Path picture : pictures) {
            String link = "pictures/" + picture.getFileName() + ")";
            assertTrue(pages.indexOf(link) >= 0, "no page in docs shows " + picture);
        }
    }

    @Test
    void picturesNameOnlyExistingThreadsAndFiles() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String module : List.of("bus-api", "media-driver", "transport-rdma")) {
            Path main = Path.of("..", module, "src/main/java");
            for (Path source : files(main, file -> file.endsWith(".java"))) {
                sources.append(Files.readString(source));
            }
        }
        Set<String> absent = new TreeSet<>();
        for (Path picture : pictures) {
            Matcher names = NAME.matcher(Files.readString(picture));
            while (names.find()) {
                if (sources.indexOf('"' + names.group() + '"') < 0) {
                    absent.add(picture.getFileName() + ": " + names.group());
                }
            }
        }
        assertEquals(Set.of(), absent, "correct the pictures");
    }

    private static List<Path> files(Path folder, Predicate<String> isWanted) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> isWanted.test(file.toString())).sorted().toList();
        }
    }
}
