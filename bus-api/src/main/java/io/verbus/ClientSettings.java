// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.directory.DefaultDirectory;
import io.verbus.directory.DirectoryTrust;

import org.agrona.ErrorHandler;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The settings of a bus that concern the driver directory, the handlers and reconnection. Not
 * thread-safe.
 */
abstract sealed class ClientSettings permits Bus.Context {
    /** System property that names the default driver directory. */
    public static final String DIRECTORY_PROPERTY = DefaultDirectory.PROPERTY;

    /** Environment variable that names the default driver directory. */
    public static final String DIRECTORY_VARIABLE = DefaultDirectory.VARIABLE;

    /** Aeron's system property that names the default driver directory. */
    public static final String AERON_DIRECTORY_PROPERTY = DefaultDirectory.AERON_PROPERTY;

    /** Aeron's environment variable that names the default driver directory. */
    public static final String AERON_DIRECTORY_VARIABLE = DefaultDirectory.AERON_VARIABLE;

    /** System property for the default {@link #directoryOwner(String)}. */
    public static final String DIRECTORY_OWNER_PROPERTY = "verbus.directory-owner";

    /** Environment variable for the default {@link #directoryOwner(String)}. */
    public static final String DIRECTORY_OWNER_VARIABLE = "VERBUS_DIRECTORY_OWNER";

    /** System property for the default {@link #directoryGroup(String)}; the driver reads it too. */
    public static final String DIRECTORY_GROUP_PROPERTY = "verbus.directory-group";

    /**
     * Environment variable for the default {@link #directoryGroup(String)}; the driver reads it
     * too.
     */
    public static final String DIRECTORY_GROUP_VARIABLE = "VERBUS_DIRECTORY_GROUP";

    /** System property for the default {@link #logDirectory(String)}; the driver reads it too. */
    public static final String LOG_DIRECTORY_PROPERTY = "verbus.log-directory";

    /**
     * Environment variable for the default {@link #logDirectory(String)}; the driver reads it too.
     */
    public static final String LOG_DIRECTORY_VARIABLE = "VERBUS_LOG_DIRECTORY";

    String directoryName = defaultDirectoryName();
    String directoryOwner = setting(DIRECTORY_OWNER_PROPERTY, DIRECTORY_OWNER_VARIABLE, null);
    String directoryGroup = setting(DIRECTORY_GROUP_PROPERTY, DIRECTORY_GROUP_VARIABLE, null);
    String logDirectory = setting(LOG_DIRECTORY_PROPERTY, LOG_DIRECTORY_VARIABLE, null);
    ErrorHandler errorHandler = ClientSettings::print;
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

    ClientSettings() {}

    ClientSettings(ClientSettings other) {
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

    abstract Bus.Context self();

    /**
     * Returns the default driver directory. This is the first of the following that is set: the
     * system properties {@value #DIRECTORY_PROPERTY} and {@value #AERON_DIRECTORY_PROPERTY}, and
     * the environment variables {@value #DIRECTORY_VARIABLE} and {@value
     * #AERON_DIRECTORY_VARIABLE}. If none is set, it is {@code /dev/shm/aeron-USER}, or {@code
     * aeron-USER} in the temporary directory if there is no {@code /dev/shm}.
     */
    public static String defaultDirectoryName() {
        return DefaultDirectory.name();
    }

    private static String setting(String property, String variable, String preset) {
        String value = System.getenv(variable);
        return System.getProperty(property, value != null && !value.isEmpty() ? value : preset);
    }

    /**
     * Sets the directory of the driver to connect to.
     *
     * @param directoryName driver directory. Default: {@link #defaultDirectoryName()}.
     * @return this.
     */
    public Bus.Context directoryName(String directoryName) {
        this.directoryName = given(directoryName, "driver directory");
        return self();
    }

    /**
     * Sets the directory of the driver to connect to.
     *
     * @param directory directory of the driver, such as that of an embedded driver.
     */
    public Bus.Context directoryName(Path directory) {
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
     * @param user name or number, or null for none. Default: the system property {@value
     *     #DIRECTORY_OWNER_PROPERTY}, else the environment variable {@value
     *     #DIRECTORY_OWNER_VARIABLE}, else none.
     * @return this.
     */
    public Bus.Context directoryOwner(String user) {
        this.directoryOwner = user;
        return self();
    }

    /**
     * Sets a group that may write to the driver's files, in addition to this process's own group.
     * Must match the driver's {@code directory-group}.
     *
     * @param group name or number, or null for none. Default: the system property {@value
     *     #DIRECTORY_GROUP_PROPERTY}, else the environment variable {@value
     *     #DIRECTORY_GROUP_VARIABLE}, else none.
     * @return this.
     */
    public Bus.Context directoryGroup(String group) {
        this.directoryGroup = group;
        return self();
    }

    /**
     * Sets the mount point of huge pages that may hold logs. Must match the driver's {@code
     * log-directory}.
     *
     * @param mount mount point, or null for none. Default: the system property {@value
     *     #LOG_DIRECTORY_PROPERTY}, else the environment variable {@value #LOG_DIRECTORY_VARIABLE},
     *     else none.
     * @return this.
     */
    public Bus.Context logDirectory(String mount) {
        this.logDirectory = mount;
        return self();
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
    public Bus.Context errorHandler(ErrorHandler handler) {
        this.errorHandler = given(handler, "error handler");
        return self();
    }

    /**
     * Sets the handler to call when an image joins a subscription that was added without handlers.
     *
     * @param handler image handler. Default: none.
     * @return this.
     */
    public Bus.Context availableImageHandler(AvailableImageHandler handler) {
        this.availableImageHandler = given(handler, "available-image handler");
        return self();
    }

    /**
     * Sets the handler to call when an image leaves a subscription that was added without handlers.
     *
     * @param handler image handler. Default: none.
     * @return this.
     */
    public Bus.Context unavailableImageHandler(UnavailableImageHandler handler) {
        this.unavailableImageHandler = given(handler, "unavailable-image handler");
        return self();
    }

    /**
     * Sets the handler for publications whose streams are rejected by a receiver.
     *
     * @param handler publication error handler. Default: the error handler.
     * @return this.
     */
    public Bus.Context publicationErrorHandler(PublicationErrorHandler handler) {
        this.publicationErrorHandler = given(handler, "publication error handler");
        return self();
    }

    /**
     * Sets the handler that is called, after the error handler, when the driver is lost.
     *
     * @param handler driver-lost handler. Default: none.
     * @return this.
     */
    public Bus.Context driverLostHandler(DriverLostHandler handler) {
        this.driverLostHandler = given(handler, "driver-lost handler");
        return self();
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
    public Bus.Context reconnect(boolean reconnect) {
        this.reconnect = reconnect;
        return self();
    }

    /**
     * Sets the handler that is called, if {@link #reconnect(boolean)} is set, each time the bus has
     * connected to the next driver and that driver has answered all commands that add resources
     * again. The handler is called on the client conductor's thread.
     *
     * @param handler handler to call with the reconnected bus. Default: none.
     * @return this.
     */
    public Bus.Context driverBackHandler(Consumer<Bus> handler) {
        this.driverBackHandler = given(handler, "driver-back handler");
        return self();
    }

    /**
     * Sets the handler for exceptions from fragment handlers and for invalid frames. It is called
     * on a polling thread.
     *
     * @param handler error handler. Default: the handler of {@link #errorHandler(ErrorHandler)}.
     * @return this.
     */
    public Bus.Context subscriberErrorHandler(ErrorHandler handler) {
        this.subscriberErrorHandler = given(handler, "subscriber error handler");
        return self();
    }

    /**
     * Sets the handler for counters added by clients, including this one. {@link
     * Bus#addAvailableCounterHandler} adds further handlers.
     *
     * @param handler counter handler. Default: none.
     * @return this.
     */
    public Bus.Context availableCounterHandler(AvailableCounterHandler handler) {
        this.availableCounterHandler = given(handler, "available-counter handler");
        return self();
    }

    /**
     * Sets the handler for the removal of clients' counters, including this client's. {@link
     * Bus#addUnavailableCounterHandler} adds further handlers.
     *
     * @param handler counter handler. Default: none.
     * @return this.
     */
    public Bus.Context unavailableCounterHandler(UnavailableCounterHandler handler) {
        this.unavailableCounterHandler = given(handler, "unavailable-counter handler");
        return self();
    }

    /**
     * Sets the handler that is called once, when the bus is closed or has permanently lost its
     * driver. {@link Bus#addCloseHandler} adds further handlers.
     *
     * @param handler close handler. Default: none.
     * @return this.
     */
    public Bus.Context closeHandler(Runnable handler) {
        this.closeHandler = given(handler, "close handler");
        return self();
    }
}
