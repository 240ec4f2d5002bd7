// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Registered memory. Local and remote keys differ, so that a mix-up is detected. */
public final class SimDomain implements Domain {
    private static final int REMOTE = 0x4000_0000;

    private final SimNetwork network;
    private final BiConsumer<Runnable, Consumer<RuntimeException>> calls;
    private final Map<Integer, Region> byLocalKey = new HashMap<>();
    private final Map<Integer, Region> byRemoteKey = new HashMap<>();
    private boolean closed;
    private String refusal;
    private boolean keepsRegions;

    public SimDomain(SimNetwork network) {
        this(network, (work, then) -> then.accept(SimFabric.failureOf(work)));
    }

    SimDomain(SimNetwork network, BiConsumer<Runnable, Consumer<RuntimeException>> calls) {
        this.network = network;
        this.calls = calls;
    }

    @Override
    public void call(Runnable work, Consumer<RuntimeException> then) {
        calls.accept(work, then);
    }

    /** Makes the next registrations fail with this text; null makes them succeed again. */
    public void refuse(String words) {
        refusal = words;
    }

    /** The device releases no regions from now on. */
    public void keepRegions() {
        keepsRegions = true;
    }

    @Override
    public String device() {
        return "sim0";
    }

    @Override
    public RegisteredMemory register(long address, long length, Access access) {
        if (closed) {
            throw new AssertionError("memory is registered in a domain that is closed");
        }
        if (refusal != null) {
            throw new FabricException(refusal);
        }
        Region region = new Region(address, length, access, network.nextKey());
        byLocalKey.put(region.key, region);
        byRemoteKey.put(region.key | REMOTE, region);
        return region;
    }

    /** Regions that are still open. */
    public int regions() {
        return (int) byLocalKey.values().stream().filter(region -> !region.isKept).count();
    }

    /** Queue pairs end within the call that closes their connection. */
    @Override
    public boolean isInUse() {
        return false;
    }

    @Override
    public boolean isUnusable() {
        return closed;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        if (!byLocalKey.isEmpty() && !keepsRegions) {
            throw new AssertionError(
                    "a domain is closed with " + byLocalKey.size() + " regions registered");
        }
        closed = true;
    }

    void checkLocal(LocalKey key, long address, int length, boolean written) {
        Region region = byLocalKey.get(key.value());
        if (region == null
                || !region.holds(address, length)
                || written && region.access == Access.LOCAL_READ) {
            throw new AssertionError(
                    "local key "
                            + key.value()
                            + " no longer lists "
                            + length
                            + " bytes at "
                            + Long.toHexString(address));
        }
    }

    /** Returns whether a peer may write to the range with the key. */
    boolean allows(RemoteKey key, long address, int length) {
        Region region = byRemoteKey.get(key.value());
        return region != null
                && region.access == Access.REMOTE_WRITE
                && region.holds(address, length);
    }

    /** Whether an open region holds the byte. */
    boolean isRegistered(long address) {
        for (Region region : byLocalKey.values()) {
            if (!region.isKept && region.holds(address, 1)) {
                return true;
            }
        }
        return false;
    }

    /** Whether any peer of the domain may write the byte. */
    boolean allowsAnyWriteTo(long address) {
        for (Region region : byRemoteKey.values()) {
            if (region.access == Access.REMOTE_WRITE && region.holds(address, 1)) {
                return true;
            }
        }
        return false;
    }

    /** The first slot of the only region that the peer may write. */
    UnsafeBuffer creditSlot() {
        for (Region region : byRemoteKey.values()) {
            if (region.access == Access.REMOTE_WRITE) {
                return new UnsafeBuffer(region.address, CreditLine.LENGTH);
            }
        }
        throw new AssertionError("no region may be written by the peer");
    }

    private final class Region implements RegisteredMemory {
        private final long address;
        private final long length;
        private final Access access;
        private final int key;

        /** The region was closed, but the device has not released it. */
        private boolean isKept;

        Region(long address, long length, Access access, int key) {
            this.address = address;
            this.length = length;
            this.access = access;
            this.key = key;
        }

        boolean holds(long start, int bytes) {
            return start >= address && start + bytes <= address + length;
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public LocalKey localKey() {
            return new LocalKey(key);
        }

        @Override
        public RemoteKey remoteKey() {
            return new RemoteKey(key | REMOTE);
        }

        @Override
        public void close() {
            isKept = keepsRegions;
            if (!keepsRegions) {
                byLocalKey.remove(key);
                byRemoteKey.remove(key | REMOTE);
            }
        }

        @Override
        public boolean isReleased() {
            return !byLocalKey.containsKey(key);
        }
    }
}
