// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.HopRecorder;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.LogRegistration;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RegisteredBuffer;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Domain;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The publications sent to one endpoint, and the resources of the current connection: the link, the
 * credit slots, and the domain in which the logs are registered. Used by the conductor's thread.
 */
final class EndpointStreams implements AutoCloseable {
    private final String name;
    private final TransportHost host;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final Queue<SenderCommand> commands;
    private final List<OutboundPublication> publications = new ArrayList<>();

    /**
     * Domain of the current or last connection; the next connection reuses the domain if it is on
     * the same device.
     */
    private Domain domain;

    private Connection connection;
    private OutboundLink link;
    private CreditSlots creditSlots;

    /** Recorder of the connection's round trips, filled by the sender; null if not sampled. */
    private HopRecorder roundTrips;

    /** Whether more credit slots are being registered. */
    private boolean isRegisteringCredit;

    /** Whether the sender has the link and was not asked to release it. */
    private boolean isAttached;

    /** Whether any stream is still waiting to resume. */
    private boolean isAnyResuming;

    /** Whether a publication could not be registered on the current connection. */
    private boolean isAnyUnsent;

    private long sendAgainNs;
    private long nowNs;

    /**
     * @param name name of the endpoint in messages.
     * @param host the driver.
     * @param options options of the transport.
     * @param registrations registrations of all logs.
     * @param commands queue of commands to the sender.
     * @param nowNs monotonic time.
     */
    EndpointStreams(
            String name,
            TransportHost host,
            RdmaOptions options,
            LogRegistrations registrations,
            Queue<SenderCommand> commands,
            long nowNs) {
        this.name = name;
        this.host = host;
        this.options = options;
        this.registrations = registrations;
        this.commands = commands;
        this.nowNs = nowNs;
    }

    boolean isEmpty() {
        return publications.isEmpty();
    }

    /** Returns the channel of the oldest publication. There must be at least one publication. */
    ChannelUri channel() {
        return publications.getFirst().channel();
    }

    boolean uses(OutboundLink other) {
        return link == other;
    }

    /** Returns the sender's link; null if the sender has none or was asked to release it. */
    OutboundLink link() {
        return isAttached ? link : null;
    }

    /** Returns the domain that a connection may reuse, or null. */
    Domain domain() {
        return domain;
    }

    // Publications

    /** Adds a publication and sends it if a connection is attached. */
    void add(OutboundPublication publication) {
        publications.add(publication);
        if (isAttached) {
            send(publication);
        }
    }

    /**
     * Ends a publication.
     *
     * @return whether it can be freed immediately.
     */
    boolean end(OutboundPublication publication) {
        publication.close();
        if (publication.transfer() == null) {
            return !publication.isResuming();
        }
        if (isAttached) {
            commands.add(new SenderCommand.End(link, publication.transfer()));
        }
        return false;
    }

    /** Removes a freed publication. */
    void remove(OutboundPublication publication) {
        publication.closeLog();
        publication.closeHops(host);
        publications.remove(publication);
    }

    /** Offers a dropped publication again, after the peer has released it. */
    void sendAgain(OutboundPublication publication) {
        publication.comeBack();
        if (isAttached) {
            send(publication);
        }
    }

    /** Gives back a credit slot to which the peer no longer writes. */
    void giveBack(CreditSlots.Slot slot) {
        creditSlots.giveBack(slot);
    }

    /** Returns a closed publication without a transfer, or null. */
    OutboundPublication nextClosed() {
        for (OutboundPublication publication : publications) {
            if (publication.isClosing()
                    && publication.transfer() == null
                    && !publication.isResuming()) {
                return publication;
            }
        }
        return null;
    }

    /** Reports a failure of the endpoint to the clients of all publications. */
    void tell(boolean rejected, String message) {
        for (OutboundPublication publication : publications) {
            publication.tell(host, rejected, message);
        }
    }

    /** Runs the timers; returns the work count. */
    int work(long now) {
        nowNs = now;
        int work = giveUpLate();
        if (isAttached && isAnyUnsent && nowNs - sendAgainNs >= 0) {
            sendAll();
            work++;
        }
        return work;
    }

    /** Marks streams that have not resumed in time as not connected. */
    private int giveUpLate() {
        if (!isAnyResuming) {
            return 0;
        }
        isAnyResuming = false;
        int late = 0;
        for (int i = 0; i < publications.size(); i++) {
            OutboundPublication publication = publications.get(i);
            if (publication.isLate(nowNs)) {
                commands.add(
                        new SenderCommand.GiveUp(
                                publication.transfer() != null
                                        ? publication.transfer()
                                        : publication.cutOff()));
                publication.tell(
                        host,
                        false,
                        "the stream to "
                                + name
                                + " has not resumed within "
                                + options.resumeTimeoutNs() / 1_000_000
                                + " ms: see the driver's error log");
                late++;
            }
            isAnyResuming |= publication.isResuming();
        }
        return late;
    }

    // Connections

    /**
     * Gives up the streams that were cut off, because the driver at the endpoint has restarted.
     *
     * @param message message for the clients.
     * @return whether any stream was cut off.
     */
    boolean beginAnew(String message) {
        boolean isAny = false;
        for (OutboundPublication publication : publications) {
            if (publication.cutOff() != null) {
                forget(publication);
                publication.tell(host, false, message);
                isAny = true;
            }
        }
        return isAny;
    }

    private void forget(OutboundPublication publication) {
        commands.add(new SenderCommand.GiveUp(publication.cutOff()));
        publication.forget();
    }

    /**
     * Hands an established connection over to the sender, and sends all publications through it.
     *
     * @param stands established connection.
     * @param memory memory registered for the connection.
     * @param version protocol version common to the two drivers.
     * @param proof proof to send to the peer before everything else, or null.
     * @param confirms whether each side commits a batch only once the other side has confirmed its
     *     arrival.
     * @param counters counters of the connection.
     * @param events queue of events to the conductor.
     */
    void attach(
            Connection stands,
            OutboundMemory memory,
            int version,
            Proof proof,
            boolean confirms,
            ConnectionCounters counters,
            Queue<SenderEvent> events) {
        adopt(stands.domain());
        connection = stands;
        creditSlots = memory.credit();
        if (roundTrips == null) {
            roundTrips = host.roundTrips(name);
        }
        link =
                new OutboundLink(
                        stands.queuePair(),
                        memory,
                        version,
                        counters,
                        options,
                        events,
                        confirms,
                        roundTrips,
                        nowNs);
        if (proof != null) {
            link.prove(proof);
        }
        commands.add(new SenderCommand.Attach(link));
        isAttached = true;
        sendAll();
    }

    /** Asks the sender to release the connection. */
    void detach(String reason) {
        isAttached = false;
        commands.add(new SenderCommand.Detach(link, reason));
    }

    /** Sends the publications that are not being sent yet. */
    private void sendAll() {
        isAnyUnsent = false;
        publications.forEach(this::send);
    }

    /** Sends a publication unless it is being sent already, once its log is registered. */
    private void send(OutboundPublication publication) {
        if (publication.transfer() != null || !publication.isToBeSent()) {
            return;
        }
        if (publication.registration() == null) {
            register(publication);
        } else if (publication.registration().isInPlace()) {
            transfer(publication);
        }
    }

    private void register(OutboundPublication publication) {
        publication.register(registrations.of(domain, publication.stream.log(), Access.LOCAL_READ));
        publication
                .registration()
                .begin(
                        new LogRegistration.Outcome() {
                            @Override
                            public void onRegistered() {
                                if (isAttached) {
                                    send(publication);
                                }
                            }

                            @Override
                            public void onRefused(RuntimeException failure) {
                                publication.closeLog();
                                onUnsent(publication, failure);
                            }
                        });
    }

    private void transfer(OutboundPublication publication) {
        CreditSlots.Slot slot = creditSlots.take();
        if (slot == null) {
            registerCredit();
            return;
        }
        publication.begin(
                new Transfer(
                        publication,
                        slot,
                        link.placement(),
                        link.isMeasurable() ? publication.hops(host, name, options) : null));
        commands.add(new SenderCommand.Add(link, publication.transfer()));
    }

    /** Registers more credit slots, then sends the publications that wait for them. */
    private void registerCredit() {
        if (isRegisteringCredit) {
            return;
        }
        isRegisteringCredit = true;
        CreditSlots slots = creditSlots;
        Domain of = domain;
        RegisteredBuffer[] block = new RegisteredBuffer[1];
        connection.call(
                () -> block[0] = slots.register(of),
                failure -> {
                    if (creditSlots == slots) {
                        isRegisteringCredit = false;
                        onCreditRegistered(block[0], failure);
                    }
                });
    }

    private void onCreditRegistered(RegisteredBuffer block, RuntimeException failure) {
        if (failure == null) {
            creditSlots.add(block);
            if (isAttached) {
                sendAll();
            }
            return;
        }
        for (OutboundPublication publication : publications) {
            if (publication.transfer() == null && publication.isToBeSent()) {
                onUnsent(publication, failure);
            }
        }
    }

    /** Reports to a publication's clients that it could not be sent, and schedules a retry. */
    private void onUnsent(OutboundPublication publication, RuntimeException failure) {
        isAnyUnsent = true;
        sendAgainNs = nowNs + options.backoffMaxNs();
        if (!publication.isTold(failure.getMessage())) {
            host.onError(
                    publication.channel(), new TransportException(failure.getMessage(), failure));
        }
        publication.tell(host, false, failure.getMessage());
    }

    /**
     * Returns whether the end of the connection has cut off a stream. If not, the end is not a
     * failure.
     */
    boolean isAnyCutOff() {
        for (OutboundPublication publication : publications) {
            if (publication.transfer() != null && publication.transfer().image().isThere()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Called when the queue pair has been destroyed, so nothing reads the logs through it any
     * longer.
     */
    void onLost(LinkEnd end, long now) {
        nowNs = now;
        for (OutboundPublication publication : publications) {
            publication.onLost(nowNs + options.resumeTimeoutNs());
            isAnyResuming |= publication.cutOff() != null;
            if (end == LinkEnd.GOODBYE && publication.cutOff() != null) {
                forget(publication);
            }
            if (publication.branch != null) {
                commands.add(
                        new SenderCommand.Unread(publication.branch, publication.cutOff() == null));
            }
        }
    }

    /**
     * Adopts a connection's domain, and closes the registrations in a previous domain on another
     * device.
     */
    void adopt(Domain other) {
        if (other != null && other != domain) {
            closeDomain();
            domain = other;
        }
    }

    /** Clears the link after its queue pair was destroyed and its memory released. Idempotent. */
    void closeLink() {
        isAttached = false;
        isRegisteringCredit = false;
        connection = null;
        link = null;
        creditSlots = null;
        if (domain != null && domain.isUnusable()) {
            closeDomain();
        }
    }

    private void closeDomain() {
        for (OutboundPublication publication : publications) {
            publication.closeLog();
        }
        if (domain != null) {
            registrations.close(domain);
            domain = null;
        }
    }

    /** Frees everything; the domain is closed once no log is registered in it. */
    @Override
    public void close() {
        closeLink();
        closeDomain();
        publications.forEach(each -> each.closeHops(host));
        host.free(roundTrips);
        roundTrips = null;
    }
}
