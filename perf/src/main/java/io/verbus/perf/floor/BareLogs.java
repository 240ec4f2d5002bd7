// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.BusInitiator;
import io.verbus.perf.load.BusSink;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Source;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import java.util.List;

/** Transfers messages through bare logs, which cost only the transfer of their cache lines. */
public final class BareLogs implements Stack {
    private final BareLog requests;
    private final BareLog replies;
    private final int length;

    public BareLogs(Work work) {
        requests = new BareLog(work.length(), work.termLength());
        replies = new BareLog(work.length(), work.termLength());
        length = work.length();
    }

    @Override
    public String version() {
        return "bare log";
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        return new Requests(requests.new Writer(), replies.new Reader(handler::onReply));
    }

    @Override
    public Reflector reflector() {
        BareLog.Writer writer = replies.new Writer();
        BareLog.Reader reader =
                requests
                .new Reader(
                        (sequence, time) -> {
                            if (!writer.write(sequence, time)) {
                                throw new IllegalStateException(
                                        "the echo log is full: its" + " reader is too slow");
                            }
                        });
        return () -> reader.poll(BusInitiator.FRAGMENT_LIMIT);
    }

    @Override
    public List<? extends Source> sources() {
        return List.of(new Stream(requests.new Writer()));
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        Arrivals arrival = arrivals[0];
        BareLog.Reader reader =
                requests.new Reader((tag, unused) -> arrival.onMessage(tag, length));
        return () -> reader.poll(BusSink.FRAGMENT_LIMIT);
    }

    @Override
    public void close() {}

    private record Requests(BareLog.Writer writer, BareLog.Reader reader) implements Initiator {
        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean send(long sequence, long time) {
            return writer.write(sequence, time);
        }

        @Override
        public int poll() {
            return reader.poll(BusInitiator.FRAGMENT_LIMIT);
        }
    }

    private record Stream(BareLog.Writer writer) implements Source {
        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean send(long tag) {
            return writer.write(tag, 0);
        }

        @Override
        public int poll() {
            return 0;
        }
    }
}
