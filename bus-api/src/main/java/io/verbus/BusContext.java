// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.directory.DefaultDirectory;
import io.verbus.directory.DirectoryTrust;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** Settings of a {@link Bus}. Not thread-safe. */
public final class BusContext {
    private static final int MAX_CLIENT_NAME = 100;

    String directoryName = defaultDirectoryName();
    String directoryOwner = setting("verbus.directory-owner", "VERBUS_DIRECTORY_OWNER");
    String directoryGroup = setting("verbus.directory-group", "VERBUS_DIRECTORY_GROUP");
    String logDirectory = setting("verbus.log-directory", "VERBUS_LOG_DIRECTORY");
    ErrorHandler errorHandler = BusContext::print;
    AvailableImageHandler availableImageHandler = image -> {};
    UnavailableImageHandler unavailableImageHandler = image -> {};
    PublicationErrorHandler publicationErrorHandler; // null: the error handler
    DriverLostHandler driverLostHandler = (bus, reason) -> {};
    boolean reconnect;
    Consumer<Bus> driverBackHandler = bus -> {};
    ErrorHandler subscriberErrorHandler; // null: the error handler
    AvailableCounterHandler availableCounterHandler; // null: none
    UnavailableCounterHandler unavailableCounterHandler; // null: none
    Runnable closeHandler; // null: none
    Duration driverTimeout = Duration.ofSeconds(10);
    Duration keepAliveInterval = Duration.ofMillis(500);
    Duration lingerInterval = Duration.ofSeconds(5);
    IdleStrategy idleStrategy; // null: a new BackoffIdleStrategy
    boolean useConductorAgentInvoker;
    AgentInvoker driverAgentInvoker; // null: the driver runs its own threads
    ThreadFactory threadFactory = BusContext::daemon;
    String clientName = "";

    /** Sets the defaults. */
    public BusContext() {}

    BusContext(BusContext other) {
        directoryName = other.directoryName;
        directoryOwner = other.directoryOwner;
        directoryGroup = other.directoryGroup;
        logDirectory = other.logDirectory;
        errorHandler = other.errorHandler;
        availableImageHandler = other.availableImageHandler;
        unavailableImageHandler = other.unavailableImageHandler;
        publicationErrorHandler =
                other.publicationErrorHandler != null
                        ? other.publicationErrorHandler
                        : (publication, code, message) ->
                                errorHandler.onError(new RegistrationException(code, message));
        driverLostHandler = other.driverLostHandler;
        reconnect = other.reconnect;
        driverBackHandler = other.driverBackHandler;
        subscriberErrorHandler =
                other.subscriberErrorHandler != null ? other.subscriberErrorHandler : errorHandler;
        availableCounterHandler = other.availableCounterHandler;
        unavailableCounterHandler = other.unavailableCounterHandler;
        closeHandler = other.closeHandler;
        driverTimeout = other.driverTimeout;
        keepAliveInterval = other.keepAliveInterval;
        lingerInterval = other.lingerInterval;
        idleStrategy =
                other.idleStrategy != null
                        ? other.idleStrategy
                        : new BackoffIdleStrategy(10, 10, 1_000, 1_000_000);
        useConductorAgentInvoker = other.useConductorAgentInvoker;
        driverAgentInvoker = other.driverAgentInvoker;
        threadFactory = other.threadFactory;
        clientName = other.clientName;
    }

    /**
     * Returns the default driver directory.
     *
     * @return what {@link DefaultDirectory#name()} returns.
     */
    public static String defaultDirectoryName() {
        return DefaultDirectory.name();
    }

    /**
     * Sets the directory of the driver to connect to.
     *
     * @param directoryName driver directory. Default: {@link #defaultDirectoryName()}.
     * @return this.
     */
    public BusContext directoryName(String directoryName) {
        this.directoryName = given(directoryName, "driver directory");
        return this;
    }

    /**
     * Sets the directory of the driver to connect to.
     *
     * @param directory directory of the driver, such as that of an embedded driver.
     */
    public BusContext directoryName(Path directory) {
        return directoryName(given(directory, "driver directory").toString());
    }

    /** Returns the directory of the driver to connect to. */
    public String directoryName() {
        return directoryName;
    }

    /**
     * Sets a user whose driver the client trusts, in addition to drivers that run as the client's
     * own user or as root.
     *
     * @param user name or number, or null for none. Default: the system property {@code
     *     verbus.directory-owner}, else the environment variable {@code VERBUS_DIRECTORY_OWNER},
     *     else none.
     * @return this.
     */
    public BusContext directoryOwner(String user) {
        this.directoryOwner = user;
        return this;
    }

    /**
     * Sets a group that may write to the driver's files, in addition to this process's own group.
     * Must match the driver's {@code directory-group}.
     *
     * @param group name or number, or null for none. Default: the system property {@code
     *     verbus.directory-group}, else the environment variable {@code VERBUS_DIRECTORY_GROUP},
     *     else none.
     * @return this.
     */
    public BusContext directoryGroup(String group) {
        this.directoryGroup = group;
        return this;
    }

    /**
     * Sets the mount point of huge pages that may hold logs. Must match the driver's {@code
     * log-directory}.
     *
     * @param mount mount point, or null for none. Default: the system property {@code
     *     verbus.log-directory}, else the environment variable {@code VERBUS_LOG_DIRECTORY}, else
     *     none.
     * @return this.
     */
    public BusContext logDirectory(String mount) {
        this.logDirectory = mount;
        return this;
    }

    /**
     * Returns which owners and permissions of driver files the client trusts under these settings.
     */
    public DirectoryTrust trust() {
        return new DirectoryTrust(
                directoryOwner,
                directoryGroup,
                logDirectory == null ? null : Path.of(logDirectory));
    }

    Path directory() {
        return Path.of(directoryName);
    }

    /**
     * Sets the handler for errors that no call can throw, and for exceptions from the application's
     * handlers. It is called on the client conductor's thread or a polling thread.
     *
     * <p>While {@link Bus#connect} waits for a driver for more than a second, it calls the handler
     * once, on its own thread, with an exception that says what is missing. This is a progress
     * report: the connection may still succeed.
     *
     * @param handler error handler. Default: prints the message of a {@link BusException}, and the
     *     stack trace of any other exception, to standard error.
     * @return this.
     */
    public BusContext errorHandler(ErrorHandler handler) {
        this.errorHandler = given(handler, "error handler");
        return this;
    }

    /**
     * Sets the handler to call when an image joins a subscription that was added without handlers.
     *
     * @param handler image handler. Default: none.
     * @return this.
     */
    public BusContext availableImageHandler(AvailableImageHandler handler) {
        this.availableImageHandler = given(handler, "available-image handler");
        return this;
    }

    /**
     * Sets the handler to call when an image leaves a subscription that was added without handlers.
     *
     * @param handler image handler. Default: none.
     * @return this.
     */
    public BusContext unavailableImageHandler(UnavailableImageHandler handler) {
        this.unavailableImageHandler = given(handler, "unavailable-image handler");
        return this;
    }

    /**
     * Sets the handler for publications whose streams are rejected by a receiver.
     *
     * @param handler publication error handler. Default: the error handler.
     * @return this.
     */
    public BusContext publicationErrorHandler(PublicationErrorHandler handler) {
        this.publicationErrorHandler = given(handler, "publication error handler");
        return this;
    }

    /**
     * Sets the handler that is called, after the error handler, when the driver is lost.
     *
     * @param handler driver-lost handler. Default: none.
     * @return this.
     */
    public BusContext driverLostHandler(DriverLostHandler handler) {
        this.driverLostHandler = given(handler, "driver-lost handler");
        return this;
    }

    /**
     * Sets whether a bus that has lost its driver reconnects, either to the next driver in the
     * directory or to the same driver once it resumes. The bus then adds its publications,
     * subscriptions, destinations and counters again. The objects stay valid.
     *
     * <p>Until then, the bus is neither closed nor connected. Its images are closed, and the
     * unavailable-image handlers called. Publications return {@link Publication#NOT_CONNECTED},
     * subscriptions have no images, resources can be closed, and calls that add a resource wait for
     * the next driver, up to the driver timeout. Adding or removing a destination, rejecting an
     * image and {@link Bus#nextSessionId} fail with a {@link DriverLostException}.
     *
     * <p>Messages in the lost driver's logs that were not consumed are lost. At the next driver,
     * streams are new: positions restart at the channel's initial position or at 0. Registration
     * ids, the client id, term lengths, MTUs, and session ids that the channel does not set may
     * change. Images are new objects. If the next driver rejects a resource, the bus closes the
     * resource and reports the rejection to the error handler.
     *
     * @param reconnect true to reconnect. Default: false, in which case the bus is closed.
     * @return this.
     */
    public BusContext reconnect(boolean reconnect) {
        this.reconnect = reconnect;
        return this;
    }

    /**
     * Sets the handler that is called, if {@link #reconnect(boolean)} is set, each time the bus has
     * connected to the next driver and that driver has answered all commands that add resources
     * again. The handler is called on the client conductor's thread.
     *
     * @param handler handler to call with the reconnected bus. Default: none.
     * @return this.
     */
    public BusContext driverBackHandler(Consumer<Bus> handler) {
        this.driverBackHandler = given(handler, "driver-back handler");
        return this;
    }

    /**
     * Sets the handler for exceptions from fragment handlers and for invalid frames. It is called
     * on a polling thread.
     *
     * @param handler error handler. Default: the handler of {@link #errorHandler(ErrorHandler)}.
     * @return this.
     */
    public BusContext subscriberErrorHandler(ErrorHandler handler) {
        this.subscriberErrorHandler = given(handler, "subscriber error handler");
        return this;
    }

    /**
     * Sets the handler for counters added by clients, including this one. {@link
     * Bus#addAvailableCounterHandler} adds further handlers.
     *
     * @param handler counter handler. Default: none.
     * @return this.
     */
    public BusContext availableCounterHandler(AvailableCounterHandler handler) {
        this.availableCounterHandler = given(handler, "available-counter handler");
        return this;
    }

    /**
     * Sets the handler for the removal of clients' counters, including this client's. {@link
     * Bus#addUnavailableCounterHandler} adds further handlers.
     *
     * @param handler counter handler. Default: none.
     * @return this.
     */
    public BusContext unavailableCounterHandler(UnavailableCounterHandler handler) {
        this.unavailableCounterHandler = given(handler, "unavailable-counter handler");
        return this;
    }

    /**
     * Sets the handler that is called once, when the bus is closed or has permanently lost its
     * driver. {@link Bus#addCloseHandler} adds further handlers.
     *
     * @param handler close handler. Default: none.
     * @return this.
     */
    public BusContext closeHandler(Runnable handler) {
        this.closeHandler = given(handler, "close handler");
        return this;
    }

    /**
     * Runs one of the driver's duty cycles if this client invokes the driver. Returns the work
     * done.
     */
    int invokeDriver() {
        return driverAgentInvoker == null ? 0 : driverAgentInvoker.invoke();
    }

    /**
     * Sets how long the client waits for the driver's answer, and how long the driver's heartbeat
     * may stall before the client considers the driver lost.
     *
     * @param timeout driver timeout. Default: 10 s.
     * @return this.
     * @throws BusException if the timeout is not positive.
     */
    public BusContext driverTimeout(Duration timeout) {
        this.driverTimeout = positive("driver timeout", timeout);
        return this;
    }

    /**
     * Sets the interval between this client's heartbeats.
     *
     * @param interval keep-alive interval. Default: 500 ms.
     * @return this.
     * @throws BusException if the interval is not positive.
     */
    public BusContext keepAliveInterval(Duration interval) {
        this.keepAliveInterval = positive("keep-alive interval", interval);
        return this;
    }

    /**
     * Sets how long shared memory stays mapped after its publication or image was closed, to let
     * calls in progress return.
     *
     * @param interval linger interval. Default: 5 s.
     * @return this.
     * @throws BusException if the interval is not positive.
     */
    public BusContext lingerInterval(Duration interval) {
        this.lingerInterval = positive("linger interval", interval);
        return this;
    }

    /**
     * Sets how the client conductor's thread idles.
     *
     * @param idleStrategy idle strategy. Default: back off up to 1 ms.
     * @return this.
     */
    public BusContext idleStrategy(IdleStrategy idleStrategy) {
        this.idleStrategy = given(idleStrategy, "idle strategy");
        return this;
    }

    /**
     * Sets whether the application runs the client conductor, with {@link
     * Bus#conductorAgentInvoker}, instead of the bus running it on its own thread.
     *
     * @param use true to run the conductor in the application. Default: false.
     * @return this.
     */
    public BusContext useConductorAgentInvoker(boolean use) {
        this.useConductorAgentInvoker = use;
        return this;
    }

    /**
     * Sets the invoker of a driver that has no threads of its own. This client runs the invoker
     * while waiting for the driver. Implies {@link #useConductorAgentInvoker}.
     *
     * @param invoker the driver's invoker.
     * @return this.
     */
    public BusContext driverAgentInvoker(AgentInvoker invoker) {
        this.driverAgentInvoker = given(invoker, "invoker of the driver");
        return useConductorAgentInvoker(true);
    }

    /**
     * Sets the factory of the client conductor's thread.
     *
     * @param factory thread factory. Default: daemon threads.
     * @return this.
     */
    public BusContext threadFactory(ThreadFactory factory) {
        this.threadFactory = given(factory, "thread factory");
        return this;
    }

    /**
     * Sets the client's name, which appears in the label of its heartbeat counter.
     *
     * @param name name in ASCII, at most 100 characters. Default: empty.
     * @return this.
     * @throws BusException if the name is too long.
     */
    public BusContext clientName(String name) {
        if (given(name, "client name").length() > MAX_CLIENT_NAME) {
            throw new BusException(
                    "the client name has "
                            + name.length()
                            + " characters: shorten it to at most "
                            + MAX_CLIENT_NAME);
        }
        this.clientName = name;
        return this;
    }

    private static String setting(String property, String variable) {
        String value = System.getenv(variable);
        return System.getProperty(property, value != null && value.isEmpty() ? null : value);
    }

    /**
     * Prints an error to standard error: a {@link BusException} as its message, which names the
     * remedy, and any other exception, such as one from an application's handler, with its stack
     * trace.
     */
    private static void print(Throwable error) {
        StringWriter text = new StringWriter();
        PrintWriter writer = new PrintWriter(text);
        writer.print("verbus client: ");
        if (error instanceof BusException) {
            writer.println(error.getMessage());
        } else {
            error.printStackTrace(writer);
        }
        writer.flush();
        System.err.print(text); // one write, which keeps threads from mixing their lines
    }

    /**
     * Returns a setting or a handler that must not be null.
     *
     * @throws NullPointerException with a message if it is null.
     */
    static <T> T given(T value, String name) {
        if (value == null) {
            throw new NullPointerException("the " + name + " is null: pass a value");
        }
        return value;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    private static Duration positive(String name, Duration value) {
        if (given(value, name).isNegative() || value.isZero()) {
            throw new BusException(
                    name + " " + value + " is not positive: pass more than zero, such as 5 s");
        }
        return value;
    }
}
