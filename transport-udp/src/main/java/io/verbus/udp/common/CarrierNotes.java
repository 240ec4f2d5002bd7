// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogNotes;
import io.verbus.transport.InboundImage;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.ProcFile;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Records in the logs of streams how they are carried, for tools. Used by the conductor's thread.
 */
public final class CarrierNotes {
    private static final Path KERNEL = Path.of("/proc/sys/net/core");

    private final UdpOptions options;
    private final int sendDefault = kernel("wmem_default");
    private final int sendMost = kernel("wmem_max");
    private final int receiveDefault = kernel("rmem_default");
    private final int receiveMost = kernel("rmem_max");

    /** Reads the limits of the kernel. */
    public CarrierNotes(UdpOptions options) {
        this.options = options;
    }

    /**
     * Returns a limit of the kernel in bytes; 0 if a container hides it, which has no functional
     * effect.
     */
    private static int kernel(String name) {
        try {
            return Integer.parseInt(ProcFile.read(KERNEL.resolve(name)));
        } catch (IOException | NumberFormatException hidden) {
            return 0;
        }
    }

    /**
     * Records how a publication is sent.
     *
     * @param isGroup whether the stream may have several receivers.
     */
    public void sending(OutboundStream stream, SocketBuffers buffers, boolean isGroup) {
        ChannelUri channel = stream.channel();
        LogBuffers log = stream.log();
        UnsafeBuffer metadata = log.metadata();
        metadata.putInt(
                LogNotes.PUBLICATION_WINDOW,
                options.publicationWindow(channel, log.spec().termLength()));
        metadata.putInt(
                LogNotes.MAX_RESEND, channel.datagrams().maxResend().orElse(options.maxResend()));
        metadata.putLong(LogNotes.LINGER, options.lingerNs(channel));
        buffers(metadata, buffers, isGroup);
    }

    /**
     * Records how an image is received.
     *
     * @param window receiver window in bytes.
     * @param isGroup whether the stream may have other receivers.
     */
    public void receiving(InboundImage image, int window, SocketBuffers buffers, boolean isGroup) {
        UnsafeBuffer metadata = image.log().metadata();
        metadata.putInt(LogNotes.RECEIVER_WINDOW, window);
        LogNotes.note(metadata, LogNotes.RELIABLE, image.channel().datagrams().isReliable());
        buffers(metadata, buffers, isGroup);
    }

    private void buffers(UnsafeBuffer metadata, SocketBuffers buffers, boolean isGroup) {
        LogNotes.buffer(metadata, LogNotes.SEND_BUFFER, buffers.send(), sendDefault, sendMost);
        LogNotes.buffer(
                metadata, LogNotes.RECEIVE_BUFFER, buffers.receive(), receiveDefault, receiveMost);
        LogNotes.note(metadata, LogNotes.GROUP, isGroup);
    }
}
