// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.channel.FlowChoice;
import io.verbus.cnc.CounterTypes;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.GroupOptions;
import io.verbus.udp.common.UdpOptions;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Creates the flow control of a stream, as configured by its channel or the driver. Used by the
 * conductor's thread only.
 */
final class FlowControls {
    private final TransportHost host;
    private final UdpOptions options;

    FlowControls(TransportHost host, UdpOptions options) {
        this.host = host;
        this.options = options;
    }

    /**
     * Creates the flow control of a stream.
     *
     * @param isGroup whether there may be several receivers.
     */
    FlowControl of(OutboundStream stream, boolean isGroup) {
        FlowChoice choice = stream.channel().flow();
        GroupOptions group = options.group();
        long position = stream.senderPosition();
        long silenceNs = options.connectionTimeoutNs();
        FlowChoice.Strategy preset = isGroup ? group.multicastFlow() : group.unicastFlow();
        FlowChoice.Strategy strategy = choice == null ? preset : choice.strategy();
        if (strategy == FlowChoice.Strategy.MAX) {
            return new MaxFlowControl(position, silenceNs, isGroup);
        }
        long timeoutNs = timeoutNs(choice);
        int size =
                choice == null ? group.groupSize() : choice.groupSize().orElse(group.groupSize());
        int atLeast = Math.max(1, size);
        AtomicCounter receivers =
                host.counter(stream, CounterTypes.FLOW_CONTROL_RECEIVERS, "fc-receivers");
        return strategy == FlowChoice.Strategy.MIN
                ? new MinFlowControl(position, timeoutNs, silenceNs, atLeast, receivers)
                : new TaggedFlowControl(
                        position,
                        timeoutNs,
                        silenceNs,
                        atLeast,
                        receivers,
                        choice == null ? group.flowTag() : choice.tag().orElse(group.flowTag()));
    }

    private long timeoutNs(FlowChoice choice) {
        if (choice != null && choice.timeout() != null) {
            return choice.timeout().toNanos();
        }
        return options.group().receiverTimeoutNs() == 0
                ? options.connectionTimeoutNs()
                : options.group().receiverTimeoutNs();
    }
}
