// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.Aeron;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.client.AeronArchive;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.LocalDriver;
import io.verbus.perf.load.Recorder;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Work;

import java.util.concurrent.TimeUnit;

/** Aeron Archive at one end, and at the other a client whose streams are recorded and replayed. */
public final class ArchiveStack extends ServiceStack {
    private ArchiveStack(Work work, LocalDriver driver, String directory) {
        super(work, driver, directory);
    }

    /**
     * Launches the driver of this process, before which no class of Aeron may have been used.
     *
     * @param drivers launcher of the driver.
     * @param work work to do.
     * @param directory directory of the driver.
     */
    public static ArchiveStack on(LocalDriver.Launcher drivers, Work work, String directory) {
        bePatient();
        return new ArchiveStack(work, drivers.launch(work, directory), directory);
    }

    private String control() {
        return "aeron:udp?endpoint=" + work.reflector() + ":" + work.port();
    }

    /** Launches the archive, which has its own threads. */
    @Override
    public Reflector reflector() {
        String anyPort = "aeron:udp?endpoint=" + work.reflector() + ":0";
        parts.push(
                Archive.launch(
                        new Archive.Context()
                                .aeronDirectoryName(directory)
                                .archiveDir(folder("archive").toFile())
                                .controlChannel(control())
                                .localControlChannel(IPC)
                                .replicationChannel(anyPort)
                                .archiveClientContext(
                                        new AeronArchive.Context().controlResponseChannel(anyPort))
                                .recordingEventsEnabled(false)
                                .idleStrategySupplier(() -> work.driverIdle().strategy())
                                .errorHandler(ServiceStack::report)
                                .threadingMode(ArchiveThreadingMode.SHARED)));
        return () -> 0;
    }

    @Override
    public Recorder recorder() {
        Aeron aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(directory)
                                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(LIVENESS_TIMEOUT_NS))
                                .errorHandler(ServiceStack::report));
        parts.push(aeron);
        AeronArchive archive =
                AeronArchive.connect(
                        new AeronArchive.Context()
                                .aeron(aeron)
                                .ownsAeronClient(false)
                                .messageTimeoutNs(ANSWER_TIMEOUT_NS)
                                .controlRequestChannel(control())
                                .controlResponseChannel(
                                        "aeron:udp?endpoint=" + work.initiator() + ":0"));
        parts.push(archive);
        return new StreamRecorder(work, aeron, archive);
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        throw new UnsupportedOperationException("an archive does not send messages back");
    }
}
