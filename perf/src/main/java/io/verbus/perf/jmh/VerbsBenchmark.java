// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import io.verbus.perf.floor.SelfConnection;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.concurrent.TimeUnit;

/** Measures verbs on a connection from this process to itself; needs an RDMA device. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VerbsBenchmark {
    private SelfConnection connection;

    /** Connects. */
    @Setup
    public void open() {
        String address = System.getenv("VERBUS_LAB_ADDR1");
        connection = SelfConnection.open(System.getProperty("verbus.perf.address", address));
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        connection.close();
    }

    /** Measures a poll of empty completion queues. */
    @Benchmark
    public int pollNothing() {
        return connection.poll();
    }

    /** Measures a signaled write of zero bytes, from posting to completion. */
    @Benchmark
    public long postAndPollUntilComplete() {
        return connection.write();
    }
}
