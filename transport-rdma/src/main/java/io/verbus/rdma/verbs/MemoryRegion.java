// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A registered region of memory, pinned and identified by two keys. It is never registered with
 * relaxed ordering, which would let a later write overtake an earlier one.
 */
final class MemoryRegion implements RegisteredMemory {
    private final Ibverbs ibverbs;
    private final ProtectionDomain domain;
    private final long region;
    private final long address;
    private final long length;
    private final LocalKey localKey;
    private final RemoteKey remoteKey;
    private boolean isReleased;

    private MemoryRegion(
            Ibverbs ibverbs, ProtectionDomain domain, long region, long address, long length) {
        this.ibverbs = ibverbs;
        this.domain = domain;
        this.region = region;
        this.address = address;
        this.length = length;
        localKey = new LocalKey(Memory.getInt(region + VerbsAbi.Mr.LKEY));
        remoteKey = new RemoteKey(Memory.getInt(region + VerbsAbi.Mr.RKEY));
    }

    static MemoryRegion register(
            Ibverbs ibverbs, ProtectionDomain domain, long address, long length, Access access) {
        long region = ibverbs.regMr(domain.address(), address, length, flags(access));
        if (region == 0) {
            throw refused(domain, address, length, NativeFunction.errno());
        }
        return new MemoryRegion(ibverbs, domain, region, address, length);
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
        return localKey;
    }

    @Override
    public RemoteKey remoteKey() {
        return remoteKey;
    }

    @Override
    public void close() {
        if (isReleased) {
            return;
        }
        int error = ibverbs.deregMr(region);
        if (!domain.isDestroyed(error)) {
            domain.onError(
                    VerbsException.of(
                            "ibv_dereg_mr",
                            error,
                            "cannot deregister memory from "
                                    + domain.device()
                                    + ", so it remains pinned",
                            ""));
            return;
        }
        isReleased = true;
        domain.forget(this);
    }

    @Override
    public boolean isReleased() {
        return isReleased;
    }

    private static int flags(Access access) {
        return switch (access) {
            case LOCAL_READ -> 0;
            case LOCAL_WRITE -> VerbsAbi.IBV_ACCESS_LOCAL_WRITE;
            case REMOTE_WRITE -> VerbsAbi.IBV_ACCESS_LOCAL_WRITE | VerbsAbi.IBV_ACCESS_REMOTE_WRITE;
        };
    }

    private static VerbsException refused(
            ProtectionDomain domain, long address, long length, int errno) {
        String failure = "cannot register " + length + " bytes with " + domain.device();
        String file = Posix.mappedFile(address);
        boolean mapping =
                errno == Errno.EFAULT || errno == Errno.EINVAL || errno == Errno.EOPNOTSUPP;
        if (mapping && !file.isEmpty()) {
            return VerbsException.of(
                    "ibv_reg_mr",
                    errno,
                    failure + ", because they are mapped from " + file + " on " + fileSystem(file),
                    "put the file on tmpfs (such as /dev/shm) or hugetlbfs, and map it writable");
        }
        return VerbsException.of(
                "ibv_reg_mr",
                errno,
                failure,
                mapping ? "the memory must be mapped, and writable if the peer writes to it" : "");
    }

    private static String fileSystem(String file) {
        try {
            return Files.getFileStore(Path.of(file)).type();
        } catch (IOException unknown) {
            return "an unknown file system";
        }
    }
}
