// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Host names whose addresses change while they are in use. */
class ChangedNamesTest {
    private static final String HERE = "10.0.0.1";

    @TempDir private Path directory;
    private TestDriver driver;

    @BeforeEach
    void open() {
        driver = new TestDriver(new SimNetwork(1), HERE, 1, directory);
        driver.hosts.put("me.x", HERE);
    }

    @AfterEach
    void close() {
        driver.close();
    }

    @Test
    void reusesEndpointForSameChannelAfterNameChanges() {
        ChannelUri channel = ChannelUri.parse("verbus:rdma?endpoint=me.x:7400");
        InboundEndpoint first = driver.subscribe(channel, 1);
        driver.hosts.put("me.x", "10.0.0.9");
        assertSame(first, driver.subscribe(channel, 2));
        driver.hosts.remove("me.x");
        assertSame(first, driver.subscribe(channel, 3));
        assertNotSame(
                first, driver.subscribe(ChannelUri.parse("verbus:rdma?endpoint=10.0.0.1:7401"), 4));
    }

    @Test
    void reusesControlAddressForSameChannelAfterNameChanges() {
        ChannelUri channel =
                ChannelUri.parse(
                        "verbus:rdma?control=me.x:7401|control-mode=dynamic|term-length=64k");
        TestStream first = driver.publish(channel, 1);
        driver.hosts.put("me.x", "10.0.0.9");
        TestStream second = driver.publish(channel, 2);
        assertEquals(HERE + ":7401", driver.transport.outbound().localAddress(first));
        assertEquals(HERE + ":7401", driver.transport.outbound().localAddress(second));
    }
}
