// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.sim.SimFabric;
import io.verbus.rdma.sim.SimNetwork;
import io.verbus.transport.Networks;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

class AllowListTest {
    /** Parses the list like a driver; null if the option is not set. */
    private static AllowList list(String value) {
        return AllowList.of(
                (name, preset) -> {
                    return value == null || name.equals("rdma.networks") ? preset : value;
                });
    }

    private static boolean allows(String value, String address) {
        return isAllowed(list(value), new InetSocketAddress(InetAddress.ofLiteral(address), 7));
    }

    /** An address that is alone in its subnet. */
    private static boolean isAllowed(AllowList list, InetSocketAddress peer) {
        return allows(list, peer, "10.77.0.1", 32);
    }

    private static boolean allows(
            AllowList list, InetSocketAddress peer, String local, int prefixLength) {
        SimFabric fabric = new SimNetwork(1).fabric(local);
        fabric.prefixLength(prefixLength);
        return list.allows(peer, new InetSocketAddress(InetAddress.ofLiteral(local), 7), fabric);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 16, 10.1.255.7, 10.2.0.1",
        "10.1.2.3, 31, 10.1.2.2, 10.1.2.4",
        "10.1.2.3, 16, 10.1.2.3, fd00::1",
        "fd00:1::5, 64, fd00:1::6, fd00:1:0:1::6",
        "fe80::1, 64, fe80::2, 10.1.2.3",
        "127.0.0.1, 8, 127.0.0.2, 10.1.2.3"
    })
    void allowsSubnetOfAddressByDefault(
            String local, int prefixLength, String inside, String outside) {
        for (String value : new String[] {null, "subnet", "192.0.2.0/24, subnet"}) {
            assertTrue(allows(list(value), address(inside), local, prefixLength));
            assertFalse(allows(list(value), address(outside), local, prefixLength));
        }
        assertFalse(allows(list("192.0.2.0/24"), address(inside), local, prefixLength));
        assertTrue(allows(list("192.0.2.0/24,subnet"), address("192.0.2.9"), local, prefixLength));
    }

    @ParameterizedTest
    @CsvSource({"10.1.2.3, 32", "fd00::5, 128", "10.1.2.3, 0"})
    void allowsNoPeerIfAddressIsAloneInSubnet(String local, int prefixLength) {
        AllowList list = list(null);
        for (String peer : new String[] {"10.1.2.3", "10.1.2.2", "fd00::5", "fd00::4"}) {
            assertFalse(allows(list, address(peer), local, prefixLength));
        }
        SimFabric fabric = new SimNetwork(1).fabric(local);
        fabric.prefixLength(prefixLength);
        assertTrue(list.isNobodyAllowed(address(local), fabric));
        assertFalse(list("10.9.9.9").isNobodyAllowed(address(local), fabric));
    }

    @Test
    void allowsRdmaNetworksByDefault() {
        TransportSettings settings =
                (name, preset) -> name.equals("rdma.networks") ? "10.5.0.0/16" : preset;
        assertTrue(isAllowed(AllowList.of(settings), address("10.5.6.7")));
        assertFalse(isAllowed(AllowList.of(settings), address("10.6.6.7")));
        assertEquals("10.5.0.0/16", AllowList.of(settings).description(Networks.NONE));
        assertEquals(
                "10.5.0.0/16,10.1.0.0/16",
                AllowList.of(settings)
                        .description(Networks.subnet(InetAddress.ofLiteral("10.1.2.3"), 16)));
    }

    private static InetSocketAddress address(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 7);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.7, 10.2.0.0",
        "10.1.2.3, 10.1.2.3, 10.1.2.4",
        "10.1.2.3/32, 10.1.2.3, 10.1.2.2",
        "128.0.0.0/1, 200.1.1.1, 127.255.255.255",
        "10.1.2.128/25, 10.1.2.200, 10.1.2.127",
        "0.0.0.0/0, 9.9.9.9, ::1",
        "::/0, fd00::1, 9.9.9.9",
        "fd00:1::/32, fd00:1:2::3, fd00:2::3",
        "2001:db8::7, 2001:db8::7, 2001:db8::8"
    })
    void allowsOnlyHostsOfNetwork(String network, String inside, String outside) {
        assertTrue(allows(network, inside));
        assertFalse(allows(network, outside));
    }

    @Test
    void allowsHostsOfAnyListedNetwork() {
        String value = "10.1.0.0/16, fd00::/8,192.168.1.7";
        assertTrue(allows(value, "10.1.3.4"));
        assertTrue(allows(value, "fd12::1"));
        assertTrue(allows(value, "192.168.1.7"));
        assertFalse(allows(value, "192.168.1.8"));
    }

    @Test
    void treatsMappedAddressAsIpv4() {
        assertTrue(allows("10.1.0.0/16", "::ffff:10.1.2.3"));
        assertFalse(allows("::/0", "::ffff:10.1.2.3"));
    }

    @Test
    void rejectsPeerWithUnknownAddress() {
        assertFalse(isAllowed(list("0.0.0.0/0"), null));
        assertFalse(isAllowed(list("0.0.0.0/0"), InetSocketAddress.createUnresolved("x", 7)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; '' is not a network",
                "10.1.0.0/16,; '' is not a network",
                "everybody; 'everybody' is not a network",
                "localhost; 'localhost' is not a network",
                "10.1/16; '10.1/16' is not a network",
                "10.1.0.0/33; 0 and 32",
                "fd00::/129; 0 and 128",
                "10.1.0.0/; 0 and 32",
                "10.1.0.0/-1; 0 and 32",
                "10.1.0.0/16/8; 0 and 32",
                "10.1.2.3/16; beyond the prefix length 16",
                "fd00::1/64; beyond the prefix length 64",
                "10.1.0.256; '10.1.0.256' is not a network",
                "fe80::1%lo; 'fe80::1%lo' is not a network"
            })
    void rejectsInvalidNetwork(String value, String words) {
        TransportException refused = assertThrows(TransportException.class, () -> list(value));
        String message = refused.getMessage();
        assertTrue(message.startsWith("option rdma.allow is '" + value + "'"), message);
        assertTrue(message.contains(words), message);
        assertEquals(1, message.lines().count(), message);
    }

    /** Compares with arithmetic on whole addresses. */
    @Property(tries = 500)
    void matchesPrefixesLikeBigInteger(
            @ForAll @Size(16) byte[] first,
            @ForAll @Size(16) byte[] second,
            @ForAll @IntRange(min = 0, max = 128) int bits,
            @ForAll @IntRange(min = 0, max = 128) int common)
            throws UnknownHostException {
        BigInteger mask = BigInteger.TWO.pow(128 - bits).subtract(BigInteger.ONE);
        BigInteger base = new BigInteger(1, first).andNot(mask);
        BigInteger low = BigInteger.TWO.pow(128 - common).subtract(BigInteger.ONE);
        // Shares the first bits, so that both results are frequent.
        BigInteger address = base.andNot(low).or(new BigInteger(1, second).and(low));
        InetAddress network = InetAddress.getByAddress(bytes(base));
        InetAddress peer = InetAddress.getByAddress(bytes(address));
        if (network.getAddress().length == 16 && peer.getAddress().length == 16) {
            assertEquals(
                    base.equals(address.andNot(mask)),
                    isAllowed(
                            list(network.getHostAddress() + "/" + bits),
                            new InetSocketAddress(peer, 7)));
        }
    }

    private static byte[] bytes(BigInteger address) {
        byte[] bytes = new byte[16];
        byte[] value = address.toByteArray();
        int length = Math.min(value.length, 16);
        System.arraycopy(value, value.length - length, bytes, 16 - length, length);
        return bytes;
    }
}
