// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;

import org.agrona.CloseHelper;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Aeron's driver and client. */
public final class AeronPeer implements AutoCloseable {
    /**
     * Interval of checks for ended streams; by default a second, for which each test would wait.
     */
    private static final long TIMER_INTERVAL_NS = 50_000_000;

    private final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
    private final MediaDriver driver;
    private final Aeron client;

    public AeronPeer(Path directory) {
        this(directory, 10);
    }

    /** One that considers the other end dead after a second. */
    public static AeronPeer impatient(Path directory) {
        return new AeronPeer(directory, 1);
    }

    private AeronPeer(Path directory, long patienceSeconds) {
        driver =
                MediaDriver.launch(
                        new MediaDriver.Context()
                                .aeronDirectoryName(directory.toString())
                                .dirDeleteOnStart(true)
                                .dirDeleteOnShutdown(true)
                                .threadingMode(ThreadingMode.SHARED)
                                .termBufferSparseFile(false)
                                .publicationTermBufferLength(64 * 1024)
                                .timerIntervalNs(TIMER_INTERVAL_NS)
                                .imageLivenessTimeoutNs(patienceSeconds * 1_000_000_000L)
                                .publicationConnectionTimeoutNs(patienceSeconds * 1_000_000_000L)
                                .clientLivenessTimeoutNs(20_000_000_000L)
                                .publicationUnblockTimeoutNs(40_000_000_000L)
                                .errorHandler(errors::add));
        client =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(directory.toString())
                                .driverTimeoutMs(20_000)
                                .errorHandler(errors::add));
    }

    public Aeron client() {
        return client;
    }

    public List<Throwable> errors() {
        return errors;
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(client, driver);
    }
}
