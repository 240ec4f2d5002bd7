// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class AnonymizerTest {
    private final Anonymizer anonymizer = new Anonymizer();

    @Test
    void replacesEqualAddressesEqually() {
        assertEquals(
                "from ipv4-1:20123 to ipv4-2, hardware-3, ipv4-1",
                anonymizer.apply("from 10.1.2.3:20123 to 10.1.2.4, 02:00:5e:10:00:01, 10.1.2.3"));
        assertEquals("back to ipv4-2", anonymizer.apply("back to 10.1.2.4"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fe80::5054:ff:fe12:3456",
                "2001:db8::1",
                "fd00:1:2:3:4:5:6:7",
                "::ffff:1:2",
                "fe80:0000:0000:0000:5054:00ff:fe12:3456",
                "00:11:22:33:44:55",
                "80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:1f:2d:71",
                "0c42:a103:0012:3456",
                "192.168.0.255",
                "1.2.3.4",
                "::ffff:10.77.0.1",
                "0000:0000:0000:0000:0000:ffff:10.77.0.1",
                "64:ff9b::10.77.0.1",
                "00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:01",
                "254:128:00:00:00:00:00:00:80:84:00:255:254:18:52:86",
                "0x248a070300b3d112",
                "0xfe80000000000000248a070300b3d112",
                "248a070300b3d112",
                "fe80000000000000505400fffe123456",
                "02-00-5e-10-00-01",
                "0200.5e10.0001",
                "4c4c4544-0042-3510-8051-b4c04f4d3332",
                "ip-10-77-0-1",
                "trade7.fra.example.com",
                "node1.cluster.local",
                "trade7.bank.de"
            })
    void replacesAddress(String address) {
        String text = anonymizer.apply("a " + address + " b");
        assertEquals(
                "a X b",
                text.replaceAll("(ipv4|ipv6|guid|hardware|mapped|gid|uuid|dashed|domain)-1", "X"));
        assertEquals("(X)", anonymizer.apply("(" + address + ")").replaceAll("\\w+-1", "X"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "0.0.0.0",
                "20.35.1012",
                "6.1.0-34-amd64",
                "5.8-1.1.2.1",
                "25.0.1+8-LTS",
                "12:34:56",
                "File::delete",
                "lists: as :: in code",
                "1.2.3.4.5",
                "io.verbus.driver.MediaDriver",
                "java.net.BindException at Socket.java:12",
                "/usr/lib/x86_64-linux-gnu/libmlx5.so.1.24.44.0",
                "driver.properties and cnc.dat, a.tar.gz, tools/lab.sh",
                "0x00001f QPN 0x000011 PSN 0x9c3ee6 VAddr 0x007f0c3b3b4000",
                "\"ns\": 1732712345123456, \"sum\": 17327123451234567",
                "db6ac68d4f1e0a5b7c9d2e3f4a5b6c7d8e9f0a1b",
                "2026-11-27T13:29:23.123456Z"
            })
    void keepsTextThatIsNotHostAddress(String text) {
        assertEquals(text, anonymizer.apply(text));
    }

    /** Output formats of ibv_devinfo -v, ib_write_lat -R, rdma, ip and ibstat. */
    @Test
    void anonymizesOutputOfRdmaTools() {
        String text =
                """
                hca_id: rocep1s0f0
                        node_guid:                      248a:0703:00b3:d112
                        sys_image_guid:                 248a:0703:00b3:d113
                                GID[  0]:               fe80::268a:7ff:feb3:d112, RoCE v1
                                GID[  1]:               fe80:0000:0000:0000:268a:07ff:feb3:d112
                                GID[  3]:               ::ffff:10.77.0.1, RoCE v2
                 local address: LID 0000 QPN 0x0089 PSN 0x6b1a2c RKey 0x1fff00 VAddr 0x007f3a4c5d6000
                 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:01
                 remote address: LID 0x0d QPN 0x0046 PSN 0x4c8c31 GID:fe80::268a:7ff:feb3:d112
                 GID:254:128:00:00:00:00:00:00:38:138:07:255:254:179:209:18
                0: mlx5_0: node_type ca fw 16.35.2000 node_guid 248a:0703:00b3:d112 sys_image_guid 248a:0703:00b3:d113
                link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 13399 sm_lid 49151 state ACTIVE
                link mlx5_0/1 lqn 100 src-addr 10.77.0.1:7174 dst-addr 10.77.0.2-10.77.0.9:7174 rdma-10.77.0.1
                2: enx248a07b3d112: <BROADCAST,MULTICAST,UP> mtu 9000 master host_10.77.0.3
                    link/infiniband 80:00:00:48:fe:80:00:00:00:00:00:00:24:8a:07:03:00:b3:d1:12 brd 00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
                    inet 10.77.0.1/16 brd 10.77.255.255 scope global eth0
                    inet6 fd77:10::77:1/64 scope global
                        Node GUID: 0x248a070300b3d112
                        Port GUID: 0x248a070300b3d112, S-248a070300b3d112
                """;
        String left = anonymizer.apply(text);
        for (String part : List.of("77", "b3", "d112", "d113", "179", "209", "8a", "feb")) {
            for (String line : left.lines().toList()) {
                assertFalse(line.contains(part), line);
            }
        }
        assertTrue(left.contains("hca_id: rocep1s0f0"), left);
        assertTrue(left.contains("fw 16.35.2000"), left);
        assertTrue(left.contains("QPN 0x0089 PSN 0x6b1a2c"), left);
        assertTrue(left.contains("lid 13399"), left);
    }

    @Test
    void replacesWholeWordsOnly() {
        anonymizer.hide("trade7.example.com", "HOST");
        anonymizer.hide("trade7", "HOST");
        anonymizer.hide("/home/ann", "HOME");
        anonymizer.hide("ann", "USER");
        anonymizer.hide("", "NOTHING");
        assertEquals(
                "HOST and HOST, HOME/x of USER, in an annex",
                anonymizer.apply("trade7.example.com and Trade7, /home/ann/x of ann, in an annex"));
    }
}
