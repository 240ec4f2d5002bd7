// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The packages for applications contain exactly these public types. A type that becomes public by
 * accident would have to be kept compatible.
 */
class PublicApiTest {
    private static final String TYPES =
            """
            io.verbus
                AsyncCommands AvailableCounterHandler AvailableImageHandler Bus BusContext
                BusException Counter DriverLostException DriverLostHandler DriverTimeoutException
                ExclusivePublication FragmentAssembler Image ImageFragmentAssembler
                Publication PublicationErrorHandler RegistrationException Subscription
                UnavailableCounterHandler UnavailableImageHandler
            io.verbus.channel
                ChannelStatus ChannelTags ChannelUri ChannelUriBuilder DatagramSettings
                DerivedChannels Endpoint FabricSettings FlowChoice InvalidChannelException
                LocalInterface ResponseLink Spelling StreamStart TetherSettings
                TimestampSettings UnsupportedChannelException
            io.verbus.logbuffer
                AppendResult BlockHandler BufferClaim ClaimLostException
                ConcurrentAppender ControlledFragmentHandler CountedPositions
                DirectBufferVector ExclusiveAppender FragmentHandler FrameCheck
                FrameHeader FrontierScanner Header InvalidFrameException LogBlocks
                LogBuffers LogCleaner LogLayout LogMerger LogNotes LogPeek LogReader
                LogScanner LogSpec LogTail LogTouching LogType LogUnblocker MessageBatch
                MisuseChecks MisuseException RawBlockHandler ReservedValueSupplier
                SubscriberLease
            io.verbus.driver
                MediaDriver
            io.verbus.driver.config
                CpuAffinity DriverConfig DriverConfigBuilder DriverConfigSources
                DriverOption DriverOptions Idling ResolverConfig ThreadingMode TransportOptions
                UntetheredTimeouts
            io.verbus.driver.testing
                LossyRelay VerbusExtension
            """;

    private static final List<Path> SOURCES =
            List.of(
                    Path.of("../bus-api/src/main/java"),
                    Path.of("src/main/java"),
                    Path.of("src/test/java/io/verbus/driver/testing"));

    private static final Pattern PACKAGE =
            Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern PUBLIC = Pattern.compile("^public ", Pattern.MULTILINE);

    private static Map<String, TreeSet<String>> listed() {
        Map<String, TreeSet<String>> types = new TreeMap<>();
        TreeSet<String> names = null;
        for (String line : TYPES.lines().toList()) {
            if (line.startsWith(" ")) {
                names.addAll(List.of(line.trim().split(" ")));
            } else {
                names = new TreeSet<>();
                types.put(line, names);
            }
        }
        return types;
    }

    @Test
    void packagesForApplicationsContainOnlyListedPublicTypes() throws IOException {
        Map<String, TreeSet<String>> found = new TreeMap<>();
        listed().keySet().forEach(name -> found.put(name, new TreeSet<>()));
        for (Path root : SOURCES) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    String source = Files.readString(file);
                    var name = PACKAGE.matcher(source);
                    if (PUBLIC.matcher(source).find()
                            && name.find()
                            && found.containsKey(name.group(1))) {
                        String simple = file.getFileName().toString().replace(".java", "");
                        found.get(name.group(1)).add(simple);
                    }
                }
            }
        }
        assertEquals(listed(), found);
    }
}
