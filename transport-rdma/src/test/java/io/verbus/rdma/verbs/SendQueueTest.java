// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/** The target of the function pointer reads each list as a provider would. */
@SuppressWarnings("restricted")
class SendQueueTest {
    private static final int DEPTH = 16;
    private static final int MAX_INLINE = 32;
    private static final long QP = 0x51;

    private final Arena arena = Arena.ofConfined();
    private final List<List<Request>> lists = new ArrayList<>();
    private int result;
    private SendQueue queue;

    private record Piece(long address, int length, int lkey) {}

    private record Request(
            long id, int opcode, int flags, List<Piece> pieces, long remoteAddress, int rkey) {
        boolean signaled() {
            return (flags & VerbsAbi.IBV_SEND_SIGNALED) != 0;
        }

        boolean inline() {
            return (flags & VerbsAbi.IBV_SEND_INLINE) != 0;
        }
    }

    @BeforeEach
    void createQueue() throws ReflectiveOperationException {
        MemorySegment provider =
                Linker.nativeLinker()
                        .upcallStub(
                                MethodHandles.lookup()
                                        .bind(
                                                this,
                                                "postSend",
                                                MethodType.methodType(
                                                        int.class,
                                                        long.class,
                                                        long.class,
                                                        long.class)),
                                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                                arena);
        long memory = arena.allocate(SendQueue.memoryLength(DEPTH, MAX_INLINE), 64).address();
        queue = new SendQueue(provider, false, QP, memory, DEPTH, MAX_INLINE);
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void postsStagedRequestsInOrderAsOneList() {
        queue.stageWrite(0x1000, 100, 7, 0x2000, 8, 9, 0xA000, 11);
        queue.stageWrite(0x3000, 8, 7, 0xB000, 12);
        queue.stageSend(0x4000, 200, 13);

        assertEquals(0, queue.post(false));

        assertEquals(
                List.of(
                        List.of(
                                new Request(
                                        1,
                                        VerbsAbi.IBV_WR_RDMA_WRITE,
                                        0,
                                        List.of(new Piece(0x1000, 100, 7), new Piece(0x2000, 8, 9)),
                                        0xA000,
                                        11),
                                new Request(
                                        2,
                                        VerbsAbi.IBV_WR_RDMA_WRITE,
                                        VerbsAbi.IBV_SEND_INLINE,
                                        List.of(new Piece(0x3000, 8, 7)),
                                        0xB000,
                                        12),
                                new Request(
                                        3,
                                        VerbsAbi.IBV_WR_SEND,
                                        0,
                                        List.of(new Piece(0x4000, 200, 13)),
                                        0,
                                        0))),
                withoutTargetsOfSends());
        assertEquals(3, queue.posted());
    }

    @Test
    void terminatesEachListAtItsLastRequest() {
        for (int length : new int[] {3, 1, 5, 2}) {
            for (int i = 0; i < length; i++) {
                queue.stageWrite(0x1000, 100, 1, 0x2000, 2);
            }
            queue.post(false);
            queue.completedUpTo(queue.posted());
        }
        assertEquals(List.of(3, 1, 5, 2), lists.stream().map(List::size).toList());
    }

    @Test
    void signalsEveryQuarterOfDepth() {
        for (int i = 0; i < DEPTH; i++) {
            queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
            queue.post(false);
        }
        List<Long> signaled =
                lists.stream()
                        .flatMap(List::stream)
                        .filter(Request::signaled)
                        .map(Request::id)
                        .toList();
        assertEquals(List.of(4L, 8L, 12L, 16L), signaled);
    }

    @Test
    void signalsLastRequestOfListWhenAsked() {
        queue.stageWrite(0x1000, 100, 1, 0x2000, 2);
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.post(true);
        assertEquals(
                List.of(false, true), lists.getFirst().stream().map(Request::signaled).toList());
        assertTrue(lists.getFirst().get(1).inline());
    }

    @Test
    void sendsMessageAfterHeader() {
        queue.stageSend(0x5000, 14, 0x4000, 200, 13);
        queue.stageSend(0x5010, 14, 0, 0, 0);
        queue.post(false);
        assertEquals(
                List.of(
                        List.of(new Piece(0x5000, 16, 14), new Piece(0x4000, 200, 13)),
                        List.of(new Piece(0x5010, 16, 14))),
                lists.getFirst().stream().map(Request::pieces).toList());
    }

    @Test
    void inlinesOnlyPayloadsThatFit() {
        queue.stageWrite(0x1000, MAX_INLINE, 1, 0x2000, 2);
        queue.stageWrite(0x1000, MAX_INLINE + 1, 1, 0x2000, 2);
        queue.post(false);
        assertEquals(List.of(true, false), lists.getFirst().stream().map(Request::inline).toList());
    }

    @Test
    void mergesTwoPiecesThatFitInline() {
        long memory = arena.allocate(64, 8).address();
        Memory.putLong(memory, 11);
        Memory.putLong(memory + 8, 22);
        Memory.putLong(memory + 40, 33);
        queue.stageWrite(memory, 16, 1, memory + 40, 8, 3, 0x2000, 2);
        Memory.putLong(memory + 8, 0);
        queue.post(false);
        Request request = lists.getFirst().getFirst();
        assertTrue(request.inline());
        assertEquals(1, request.pieces().size());
        Piece piece = request.pieces().getFirst();
        assertEquals(24, piece.length());
        assertEquals(11, Memory.getLong(piece.address()));
        assertEquals(22, Memory.getLong(piece.address() + 8));
        assertEquals(33, Memory.getLong(piece.address() + 16));
    }

    @Test
    void postsFewInlineWritesOneByOne() {
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.stageWrite(0x1000, 16, 1, 0x3000, 2);
        queue.post(true);
        assertEquals(
                List.of(List.of(0x2000L), List.of(0x3000L)),
                lists.stream()
                        .map(list -> list.stream().map(Request::remoteAddress).toList())
                        .toList());
        assertEquals(
                List.of(false, true),
                lists.stream().map(list -> list.getFirst().signaled()).toList());
        assertEquals(2, queue.posted());
    }

    @Test
    void postsManyInlineWritesAsOneList() {
        for (int i = 0; i < 4; i++) {
            queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        }
        queue.post(false);
        assertEquals(List.of(4), lists.stream().map(List::size).toList());
    }

    @Test
    void postsNonInlineWriteInListWithNext() {
        queue.stageWrite(0x1000, 100, 1, 0x2000, 2);
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.post(false);
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.post(false);
        assertEquals(List.of(2, 1, 1), lists.stream().map(List::size).toList());
    }

    @Test
    void stopsAtFirstRejectedWrite() {
        result = Errno.ENOMEM;
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        assertEquals(Errno.ENOMEM, queue.post(false));
        assertEquals(1, lists.size());
    }

    @Test
    void postsEmptyWriteAsProbe() {
        queue.stageWrite(0, 0, 0, 0x2000, 2);
        queue.post(true);
        assertEquals(List.of(), lists.getFirst().getFirst().pieces());
    }

    @Test
    void countsSlotsFromStagingToCompletion() {
        assertEquals(DEPTH, queue.free());
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        assertEquals(DEPTH - 2, queue.free());
        queue.post(true);
        assertEquals(DEPTH - 2, queue.free());
        assertTrue(queue.hasOutstanding());
        queue.completedUpTo(2);
        assertEquals(DEPTH, queue.free());
    }

    @Test
    void expectsCompletionOnlyOfSignaledRequests() {
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.post(false);
        assertFalse(queue.isCompletionDue());
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.post(true);
        assertTrue(queue.isCompletionDue());
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        queue.post(false);
        queue.completedUpTo(2);
        assertFalse(queue.isCompletionDue());
        assertTrue(queue.hasOutstanding());
    }

    @Test
    void rejectsStagingBeyondCapacity() {
        for (int i = 0; i < DEPTH; i++) {
            queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        }
        assertThrows(IllegalStateException.class, () -> queue.stageWrite(0x1000, 8, 1, 0x2000, 2));
    }

    @Test
    void postsNothingIfNothingIsStaged() {
        assertEquals(0, queue.post(true));
        assertEquals(List.of(), lists);
    }

    @Test
    void returnsPositiveErrnoForEitherSign() {
        result = -Errno.ENOMEM;
        queue.stageWrite(0x1000, 8, 1, 0x2000, 2);
        assertEquals(Errno.ENOMEM, queue.post(false));
    }

    /** Called through the function pointer, so it must not throw. */
    int postSend(long qp, long list, long bad) {
        if (qp != QP) {
            return Errno.EINVAL;
        }
        List<Request> requests = new ArrayList<>();
        for (long wr = list; wr != 0; wr = Memory.getLong(wr + VerbsAbi.SendWr.NEXT)) {
            requests.add(read(wr));
            if (requests.size() > DEPTH) {
                return Errno.EINVAL;
            }
        }
        lists.add(requests);
        return result;
    }

    private static Request read(long wr) {
        List<Piece> pieces = new ArrayList<>();
        long sge = Memory.getLong(wr + VerbsAbi.SendWr.SG_LIST);
        for (int i = 0; i < Memory.getInt(wr + VerbsAbi.SendWr.NUM_SGE); i++) {
            pieces.add(
                    new Piece(
                            Memory.getLong(sge + VerbsAbi.Sge.ADDRESS),
                            Memory.getInt(sge + VerbsAbi.Sge.LENGTH),
                            Memory.getInt(sge + VerbsAbi.Sge.LKEY)));
            sge += VerbsAbi.Sge.SIZE;
        }
        return new Request(
                Memory.getLong(wr + VerbsAbi.SendWr.ID),
                Memory.getInt(wr + VerbsAbi.SendWr.OPCODE),
                Memory.getInt(wr + VerbsAbi.SendWr.FLAGS),
                pieces,
                Memory.getLong(wr + VerbsAbi.SendWr.REMOTE_ADDRESS),
                Memory.getInt(wr + VerbsAbi.SendWr.RKEY));
    }

    /** A send has no target: its slot holds leftover values there. */
    private List<List<Request>> withoutTargetsOfSends() {
        return lists.stream()
                .map(list -> list.stream().map(SendQueueTest::withoutTarget).toList())
                .toList();
    }

    private static Request withoutTarget(Request request) {
        return request.opcode() == VerbsAbi.IBV_WR_SEND
                ? new Request(
                        request.id(), request.opcode(), request.flags(), request.pieces(), 0, 0)
                : request;
    }
}
