// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TransportProvider;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.ServiceLoader;

class RdmaTransportProviderTest {
    @Test
    void findsProviderByMedia() {
        List<String> media =
                ServiceLoader.load(TransportProvider.class).stream()
                        .map(provider -> provider.get().media())
                        .toList();
        assertEquals(List.of("rdma"), media);
    }

    @Test
    void warnsAboutUntestedArchitecture() {
        assertNull(RdmaTransportProvider.untried("amd64"));
        String words = RdmaTransportProvider.untried("aarch64");
        assertTrue(words.contains("aarch64") && words.contains("rdma.order to safe"), words);
    }
}
