// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
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
 * The publications that are sent to one endpoint, and what carries them while a connection stands:
 * its link, its credit slots, and the domain in which their logs are registered. Conductor's
 * thread.
 */
final class EndpointStreams implements AutoCloseable {
    private final String name;
    private final TransportHost host;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final Queue<SenderCommand> commands;
    private final List<OutboundPublication> publications = new ArrayList<>();

    /** Of the connection that stands or stood last: another on the same device takes it over. */
    private Domain domain;

    private Connection connection;
    private OutboundLink link;
    private CreditSlots creditSlots;

    /** More credit slots are being registered. */
    private boolean isRegisteringCredit;

    /** The sender has the link, and was not asked to let go of it. */
    private boolean isAttached;

    /** A stream may be late to resume. */
    private boolean isAnyResuming;

    /** A publication could not be registered on the connection that stands. */
    private boolean isAnyUnsent;

    private long sendAgainNs;
    private long nowNs;

    /**
     * @param name of the endpoint, for people.
     * @param host the driver.
     * @param options of the transport.
     * @param registrations of all logs.
     * @param commands for the sender.
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

    /** The channel of the oldest publication. There is one. */
    ChannelUri channel() {
        return publications.getFirst().channel();
    }

    boolean uses(OutboundLink other) {
        return link == other;
    }

    /** The link that the sender has, unless it was asked to let go of it; or null. */
    OutboundLink link() {
        return isAttached ? link : null;
    }

    /** The domain that a connection may take over; or null. */
    Domain domain() {
        return domain;
    }

    // Publications

    /** Sends a publication. */
    void add(OutboundPublication publication) {
        publications.add(publication);
        if (isAttached) {
            send(publication);
        }
    }

    /**
     * Ends a publication.
     *
     * @return whether it is free at once.
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

    /** A publication is free: forgets it. */
    void remove(OutboundPublication publication) {
        publication.closeLog();
        publications.remove(publication);
    }

    /** The peer has let go of a publication that left it: offers it anew. */
    void sendAgain(OutboundPublication publication) {
        publication.comeBack();
        if (isAttached) {
            send(publication);
        }
    }

    /** A credit slot that the peer writes no more. */
    void giveBack(CreditSlots.Slot slot) {
        creditSlots.giveBack(slot);
    }

    /** One that was closed and has no transfer any more; or null. */
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

    /** Tells the clients of all what has become of the endpoint. */
    void tell(boolean rejected, String message) {
        for (OutboundPublication publication : publications) {
            publication.tell(host, rejected, message);
        }
    }

    /** Timers. */
    int work(long now) {
        nowNs = now;
        int work = giveUpLate();
        if (isAttached && isAnyUnsent && nowNs - sendAgainNs >= 0) {
            sendAll();
            work++;
        }
        return work;
    }

    /** Tells publishers that no subscriber receives, where a stream has not gone on in time. */
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
                                + " has not gone on within "
                                + options.resumeTimeoutNs() / 1_000_000
                                + " ms: see why in the driver's error log");
                late++;
            }
            isAnyResuming |= publication.isResuming();
        }
        return late;
    }

    // Connections

    /**
     * What was cut off does not go on, because the driver there is another.
     *
     * @param message for their clients.
     * @return whether anything was cut off.
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
     * Hands a connection that is established to the sender, and sends everything through it.
     *
     * @param stands connection that does.
     * @param memory registered for it.
     * @param version of the protocol in which the two drivers speak.
     * @param proof that the peer must see before all else; null if there is none.
     * @param confirms whether each side commits only what the other has confirmed.
     * @param counters of the connection.
     * @param events to the conductor.
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
        link =
                new OutboundLink(
                        stands.queuePair(),
                        memory,
                        version,
                        counters,
                        options,
                        events,
                        confirms,
                        nowNs);
        if (proof != null) {
            link.prove(proof);
        }
        commands.add(new SenderCommand.Attach(link));
        isAttached = true;
        sendAll();
    }

    /** Asks the sender to let go of the connection. */
    void detach(String reason) {
        isAttached = false;
        commands.add(new SenderCommand.Detach(link, reason));
    }

    /** Sends what is not sent yet. */
    private void sendAll() {
        isAnyUnsent = false;
        publications.forEach(this::send);
    }

    /** Sends a publication, unless it is being sent: once its log is registered. */
    private void send(OutboundPublication publication) {
        if (publication.transfer() != null || !isToBeSent(publication)) {
            return;
        }
        if (publication.registration() == null) {
            register(publication);
        } else if (publication.registration().isInPlace()) {
            transfer(publication);
        }
    }

    private static boolean isToBeSent(OutboundPublication publication) {
        return !publication.isLeaving()
                && !publication.isBroken()
                && (!publication.isClosing() || publication.isResuming());
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
        publication.begin(new Transfer(publication, slot, link.placement()));
        commands.add(new SenderCommand.Add(link, publication.transfer()));
    }

    /** Registers more credit slots; what waits for them is sent then. */
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
            if (publication.transfer() == null && isToBeSent(publication)) {
                onUnsent(publication, failure);
            }
        }
    }

    /** Its clients are told, and it is tried again after a while. */
    private void onUnsent(OutboundPublication publication, RuntimeException failure) {
        isAnyUnsent = true;
        sendAgainNs = nowNs + options.backoffMaxNs();
        if (!publication.isTold(failure.getMessage())) {
            host.onError(
                    publication.channel(), new TransportException(failure.getMessage(), failure));
        }
        publication.tell(host, false, failure.getMessage());
    }

    /** Whether the end of the connection cut a stream off; otherwise it is no failure. */
    boolean isAnyCutOff() {
        for (OutboundPublication publication : publications) {
            if (publication.transfer() != null && publication.transfer().image().isCutOff()) {
                return true;
            }
        }
        return false;
    }

    /** The queue pair is destroyed: nothing reads the logs through it any more. */
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

    /** Takes a connection's domain over: what is registered on another device is not on its. */
    void adopt(Domain other) {
        if (other != null && other != domain) {
            closeDomain();
            domain = other;
        }
    }

    /** The queue pair is destroyed, and what was registered for it released. Idempotent. */
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

    /** Frees everything, as soon as no log is being registered. */
    @Override
    public void close() {
        closeLink();
        closeDomain();
    }
}
