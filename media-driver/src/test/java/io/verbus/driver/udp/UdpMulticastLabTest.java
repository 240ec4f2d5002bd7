// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** Multicast in the lab's guest, where a network namespace can always be made. */
@Tag("lab")
@Timeout(400)
@Tag("soak")
class UdpMulticastLabTest {
    @Test
    void deliversEveryMessageToEachGroupMember() throws Exception {
        // One compiler: see "Limits" in docs/lab.md.
        int status = UdpMulticastTest.runGroups(List.of("-XX:TieredStopAtLevel=1"), 380);
        assertEquals(0, status, "the program's words are above");
    }
}
