// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbus.rdma.fabric.Access;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A device that fails to release resources, simulated by a library of upcalls. */
@SuppressWarnings("restricted")
class FailedReleaseTest {
    private final Arena arena = Arena.ofConfined();
    private final List<Throwable> told = new ArrayList<>();
    private final MemorySegment memory = arena.allocate(4096, 8);
    private long refusal = Errno.EBUSY;
    private int regions;
    private int domains;

    @AfterEach
    void close() {
        arena.close();
    }

    long call(long a, long b, long c, long d) {
        return 0;
    }

    long allocPd(long context) {
        domains++;
        return memory.address();
    }

    long deallocPd(long domain) {
        domains -= regions == 0 ? 1 : 0;
        return regions == 0 ? 0 : Errno.EBUSY;
    }

    long regMr(long domain, long address, long length, long access) {
        regions++;
        return memory.address() + 256;
    }

    long deregMr(long region) {
        regions -= refusal == 0 ? 1 : 0;
        return refusal;
    }

    private Ibverbs library() {
        return new Ibverbs(
                new SharedLibrary(
                        "library",
                        symbol ->
                                Optional.of(
                                        switch (symbol) {
                                            case "ibv_alloc_pd" -> stub("allocPd", 1);
                                            case "ibv_dealloc_pd" -> stub("deallocPd", 1);
                                            case "ibv_reg_mr" -> stub("regMr", 4);
                                            case "ibv_dereg_mr" -> stub("deregMr", 1);
                                            default -> stub("call", 4);
                                        })));
    }

    private MemorySegment stub(String name, int arguments) {
        Class<?>[] types = new Class<?>[arguments];
        Arrays.fill(types, long.class);
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        try {
            return Linker.nativeLinker()
                    .upcallStub(
                            MethodHandles.lookup()
                                    .bind(this, name, MethodType.methodType(long.class, types)),
                            FunctionDescriptor.of(JAVA_LONG, layouts),
                            arena);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(name, e);
        }
    }

    /** The context points to the device, whose name is empty. */
    private ProtectionDomain domain() {
        Ibverbs ibverbs = library();
        memory.set(JAVA_LONG, 1024 + VerbsAbi.Context.DEVICE, memory.address() + 2048);
        Device device = new Device(ibverbs, memory.address() + 1024);
        return new ProtectionDomain(ibverbs, device, null, released -> {}, told::add);
    }

    @Test
    void reportsResourcesThatDeviceKeepsAndContinues() {
        ProtectionDomain domain = domain();
        MemoryRegion region = domain.register(4096, 4096, Access.REMOTE_WRITE);
        region.close();
        assertFalse(region.isReleased());
        assertEquals(1, told.size());
        String message = told.getFirst().getMessage();
        assertTrue(message.contains("so it remains pinned (ibv_dereg_mr: EBUSY"), message);
        assertFalse(message.contains("4096"), "the same text for any region: " + message);
        domain.release();
        assertFalse(domain.isClosed());
        assertTrue(told.getLast().getMessage().contains("ibv_dealloc_pd"), told.toString());
    }

    @Test
    void retriesReleaseAtShutdown() {
        ProtectionDomain domain = domain();
        MemoryRegion region = domain.register(4096, 4096, Access.REMOTE_WRITE);
        region.close();
        domain.release();
        refusal = 0;
        domain.releaseWithRegions();
        assertTrue(region.isReleased());
        assertTrue(domain.isClosed());
        assertEquals(0, regions);
        assertEquals(0, domains);
        assertEquals(2, told.size());
    }
}
