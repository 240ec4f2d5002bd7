// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drivers on an adapter that may place a later write before an earlier one. */
@Tag("lab")
@Tag("strict")
@Timeout(240)
class WriteOrderTest {
    private static final int PORT = 24_380;
    private static final int MESSAGES = 20_000;

    @BeforeEach
    void placeOutOfOrder() {
        StrictDevice.profile("mlx5-ooo");
    }

    @AfterEach
    void placeInOrder() {
        StrictDevice.profile(null);
    }

    private static Host host(String address, String order) {
        Host host =
                Host.start(
                        address,
                        builder ->
                                builder.transportOption("rdma.order", order)
                                        .transportOption("rdma.status-interval", "1ms"));
        host.expect("IB/RoCE v1"); // GIDs of the profile that the process began with
        return host;
    }

    /** Each driver asks the other to wait; one of them is sufficient. */
    @ParameterizedTest
    @CsvSource({"safe, safe", "safe, trust", "trust, safe"})
    void deliversEveryMessageIfOrderIsSafe(String orderOfA, String orderOfB) {
        try (Host b = host(Host.addressB(), orderOfB);
                Host a = host(Host.addressA(), orderOfA);
                Subscription in = b.connect().addSubscription(b.channel(PORT), 1);
                Publication out =
                        a.connect()
                                .addPublication(
                                        Host.overWire(b.channel(PORT, "term-length=64k")), 1)) {
            Script script = Script.upTo(90, 1000);
            Writer writer = new Writer(out, script);
            Reader.fromFirst(script).exchange(writer, in, MESSAGES);
            assertEquals(1, in.imageCount());
            a.awaitCounter("commits wait for confirmation", count -> count == 1);
            b.awaitCounter("commits wait for confirmation", count -> count == 1);
        }
    }

    @Test
    void rejectsUnorderedAdapterIfOrderIsChecked() {
        try (Host b = host(Host.addressB(), "check");
                Host a = host(Host.addressA(), "check")) {
            for (Host host : new Host[] {a, b}) {
                host.expectLoss().expect("may place writes out of order");
            }
            try (Subscription in = b.connect().addSubscription(b.channel(PORT), 1);
                    Publication out =
                            a.connect().addPublication(Host.overWire(b.channel(PORT)), 1)) {
                b.awaitError("set rdma.order=safe");
                assertFalse(out.isConnected());
                assertEquals(0, in.imageCount());
            }
        }
    }
}
