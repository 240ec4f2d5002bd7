// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.DerivedChannels;
import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.agent.Mergers;
import io.verbus.driver.background.Background;
import io.verbus.driver.background.HostNames;
import io.verbus.driver.background.LookUpTimes;
import io.verbus.driver.background.Names;
import io.verbus.driver.channel.SendStatuses;
import io.verbus.driver.client.Clients;
import io.verbus.driver.client.CommandExecutor;
import io.verbus.driver.client.CommandOrder;
import io.verbus.driver.client.ImageRejection;
import io.verbus.driver.client.RegistrationIds;
import io.verbus.driver.command.CommandChannel;
import io.verbus.driver.command.CommandDecoder;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.command.CommandTurns;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.command.EventTransmitter;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.AuditLog;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.files.HugePages;
import io.verbus.driver.files.LatencySamples;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.Losses;
import io.verbus.driver.image.Images;
import io.verbus.driver.image.MergedImages;
import io.verbus.driver.image.RejectedStreams;
import io.verbus.driver.image.SourceImages;
import io.verbus.driver.publication.PublicationFactory;
import io.verbus.driver.publication.PublicationHolders;
import io.verbus.driver.publication.Publications;
import io.verbus.driver.publication.Responses;
import io.verbus.driver.publication.SpiedPublications;
import io.verbus.driver.resolver.DriverResolver;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ErrorSink;
import io.verbus.driver.status.RegisteredCounters;
import io.verbus.driver.subscription.ManualEndpoints;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.driver.transports.Transports;
import io.verbus.transport.TransportProvider;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

import java.util.List;

/**
 * The driver's registries, wired together. The constructor arguments of a registry show what it may
 * access.
 *
 * @param clock conductor's clock.
 * @param counters driver's counters.
 * @param errors driver's error handler.
 * @param commands buffer of client commands.
 * @param waiting commands that are waiting for slow work.
 * @param background threads that run slow work.
 * @param locks locks that clients hold while the driver's memory is mapped into their processes.
 * @param clients known clients.
 * @param publications publications of clients.
 * @param spied publications that continue while only spies read them.
 * @param images images of remote publications.
 * @param transports available transports.
 * @param files log files.
 * @param losses losses of received streams.
 * @param samples sampled durations of the streams' hops.
 */
record DriverParts(
        DriverClock clock,
        DriverCounters counters,
        ErrorSink errors,
        RingBuffer commands,
        CommandTurns turns,
        EventTransmitter events,
        WaitingCommands waiting,
        Background background,
        ClientLocks locks,
        Clients clients,
        Publications publications,
        SpiedPublications spied,
        Images images,
        MergedImages merged,
        Mergers mergers,
        Transports transports,
        LogFiles files,
        Losses losses,
        LatencySamples samples,
        DriverResolver resolver) {

    static DriverParts assemble(
            DriverConfig config,
            DriverDirectory directory,
            CncFile cnc,
            List<TransportProvider> providers,
            DriverClock clock,
            DriverCounters counters,
            Runnable termination,
            AuditLog audit,
            ErrorSink errors) {
        RingBuffer commands = new ManyToOneRingBuffer(cnc.toDriver());
        commands.nextCorrelationId(); // 0 is neither a client id nor a command's correlation id
        commands.consumerHeartbeatTime(clock.updateEpoch());
        Shares shares = counters.shares();
        EventTransmitter transmitter = new EventTransmitter(cnc.toClients(), clock.nanoTime());
        EventEncoder events = new EventEncoder(transmitter);
        HugePages hugePages =
                config.logDirectory() == null
                        ? null
                        : HugePages.open(
                                config.logDirectory(), directory.path(), config.termLength());
        Background background = new Background(errors);
        HostNames system = HostNames.present(counters.manager());
        DriverResolver resolver =
                config.resolver() == null
                        ? null
                        : new DriverResolver(
                                config.resolver(),
                                local -> Transports.openPort(providers, local),
                                Transports.sources(providers, config.transportOptions()),
                                config.mtu(),
                                system,
                                counters,
                                errors);
        Names names =
                new Names(
                        background,
                        resolver == null ? system : resolver.names(),
                        new LookUpTimes(
                                counters.system(SystemCounter.NAME_RESOLVER_MAX_TIME),
                                counters.exceeded(
                                        SystemCounter.NAME_RESOLVER_TIMES_EXCEEDED,
                                        config.lookUpThresholdNs()),
                                config.lookUpThresholdNs()),
                        shares);
        LogFiles files =
                new LogFiles(
                        directory,
                        hugePages,
                        config.filePageLength(),
                        config.lingerNs(),
                        background,
                        counters,
                        shares,
                        errors);
        CommandFailures failures = new CommandFailures(events, counters, errors);
        WaitingCommands waiting = new WaitingCommands(failures::tell, shares);
        CommandChannel inHand = new CommandChannel();
        Transports transports =
                new Transports(providers, directory, config.transportOptions(), names, errors);
        ManualEndpoints manuals = new ManualEndpoints(transports, counters, shares);
        Subscriptions subscriptions =
                new Subscriptions(
                        channel ->
                                DerivedChannels.withTether(
                                        channel,
                                        config.tetherSubscriptions(),
                                        config.rejoinStream()),
                        transports,
                        manuals,
                        events,
                        counters,
                        shares,
                        failures);
        RejectedStreams rejected =
                new RejectedStreams(subscriptions, config.imageLivenessTimeoutNs());
        Images images =
                new Images(
                        subscriptions,
                        files,
                        counters,
                        events,
                        errors,
                        commands::nextCorrelationId,
                        rejected,
                        config.untethered(),
                        clock);
        Mergers mergers = new Mergers();
        MergedImages merged =
                new MergedImages(
                        subscriptions,
                        files,
                        new SourceImages(
                                images::source, files, commands::nextCorrelationId, subscriptions),
                        counters,
                        events,
                        mergers,
                        images,
                        rejected,
                        config.imageLivenessTimeoutNs(),
                        config.untethered(),
                        errors,
                        clock.nanoTime());
        manuals.removals(merged::onRemoved);
        Losses losses = new Losses(directory, clock, errors);
        LatencySamples samples =
                new LatencySamples(directory, config.latencySamplesPerSecond(), clock, errors);
        Responses responses = new Responses(subscriptions);
        transports.hosts(
                options ->
                        new DriverTransportHost(
                                cnc.spec().driverId(),
                                options,
                                names,
                                background,
                                files,
                                images,
                                manuals,
                                merged,
                                subscriptions,
                                responses,
                                counters,
                                events,
                                losses,
                                samples,
                                audit,
                                inHand.naming(errors)));
        SpiedPublications spied = new SpiedPublications();
        SendStatuses statuses = new SendStatuses(counters, shares);
        PublicationHolders holders = new PublicationHolders(shares);
        Publications publications =
                new Publications(
                        new PublicationFactory(
                                config,
                                transports,
                                files,
                                statuses,
                                counters,
                                events,
                                samples,
                                clock),
                        subscriptions,
                        files,
                        statuses,
                        events,
                        spied,
                        responses,
                        failures,
                        counters,
                        clock,
                        holders,
                        errors);
        ClientLocks locks = ClientLocks.create(directory.path());
        RegisteredCounters clientCounters = new RegisteredCounters(counters, shares);
        Clients clients =
                new Clients(
                        waiting,
                        publications,
                        holders,
                        subscriptions,
                        counters,
                        clientCounters,
                        events,
                        clock,
                        locks,
                        shares,
                        config.clientLivenessTimeoutNs());
        CommandExecutor executor =
                new CommandExecutor(
                        clients,
                        publications,
                        subscriptions,
                        transports,
                        new RegistrationIds(
                                clients,
                                publications,
                                holders,
                                subscriptions.list(),
                                clientCounters,
                                waiting,
                                () -> nextCorrelationId(commands)),
                        new CommandOrder(holders, transports, names, waiting, inHand),
                        inHand,
                        failures,
                        new ImageRejection(
                                subscriptions,
                                publications,
                                images,
                                events,
                                failures,
                                counters.system(SystemCounter.IMAGES_REJECTED)),
                        clock,
                        events,
                        clientCounters,
                        termination,
                        counters);
        return new DriverParts(
                clock,
                counters,
                errors,
                commands,
                new CommandTurns(
                        new CommandDecoder(executor), transmitter, senders(clients, failures)),
                transmitter,
                waiting,
                background,
                locks,
                clients,
                publications,
                spied,
                images,
                merged,
                mergers,
                transports,
                files,
                losses,
                samples,
                resolver);
    }

    private static CommandTurns.Senders senders(Clients clients, CommandFailures failures) {
        return new CommandTurns.Senders() {
            @Override
            public boolean contains(long clientId) {
                return clients.contains(clientId);
            }

            @Override
            public void heard(long clientId) {
                clients.heard(clientId);
            }

            @Override
            public void dropped(long clientId) {
                failures.drop(clientId);
            }
        };
    }

    /** Returns the next correlation id that the buffer will assign. */
    private static long nextCorrelationId(RingBuffer commands) {
        return commands.buffer()
                .getLongVolatile(
                        commands.capacity() + RingBufferDescriptor.CORRELATION_COUNTER_OFFSET);
    }

    /**
     * Closes the transports, then unmaps and deletes all logs. Called after all agents have
     * stopped.
     */
    void close() {
        if (resolver != null) {
            resolver.close();
        }
        background.close();
        transports.close();
        files.close();
        losses.close();
        samples.close();
        locks.close();
    }
}
