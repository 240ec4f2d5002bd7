// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.MediaDriver;
import io.verbus.release.Release;

import java.util.ArrayList;
import java.util.List;

/** What {@code verbus --version} prints: the build, the JVM, and the protocols that they speak. */
final class VersionText {
    private VersionText() {}

    static String[] lines() {
        Release release = Release.CURRENT;
        List<String> lines = new ArrayList<>();
        lines.add("verbus " + release.version());
        lines.add("commit: " + release.commit());
        lines.add("jdk: " + Release.jdk() + " (" + System.getProperty("java.vendor") + ")");
        lines.add("shared memory: " + text(CncFile.VERSION_VALUE));
        lines.add("control protocol: " + text(SystemCounter.CONTROL_PROTOCOL_VERSION_VALUE));
        MediaDriver.presentProtocols()
                .forEach((media, version) -> lines.add(media + " protocol: " + version));
        return lines.toArray(String[]::new);
    }

    private static String text(int version) {
        return (version >> 16) + "." + (version >> 8 & 0xFF) + "." + (version & 0xFF);
    }
}
