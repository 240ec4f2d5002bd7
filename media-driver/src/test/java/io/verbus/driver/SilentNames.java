// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.driver.background.HostNames;

import org.agrona.concurrent.status.CountersManager;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Name resolver that never answers names ending with {@code silent}, and resolves all others to
 * this host.
 */
public final class SilentNames implements HostNames {
    private final CountDownLatch never = new CountDownLatch(1);

    /**
     * Class path of a process whose drivers ask these names.
     *
     * @param folder for a file that names this class.
     */
    public static String classPath(Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(
                services.resolve(HostNames.class.getName()), SilentNames.class.getName() + "\n");
        return folder + File.pathSeparator + System.getProperty("java.class.path");
    }

    @Override
    public void open(CountersManager counters) {}

    @Override
    public InetAddress address(String name) throws UnknownHostException {
        if (name.endsWith("silent")) {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new UnknownHostException(name);
            }
        }
        return InetAddress.getLoopbackAddress();
    }
}
