// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.directory.DefaultDirectory;
import io.verbus.directory.DirectoryTrust;

import org.agrona.ErrorHandler;

import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

/** Which driver a client connects to, whom it believes, and what it tells whom. One thread. */
abstract sealed class ClientSettings permits Bus.Context {
    /** System property that names the default driver directory. */
    public static final String DIRECTORY_PROPERTY = DefaultDirectory.PROPERTY;

    /** Environment variable that names the default driver directory. */
    public static final String DIRECTORY_VARIABLE = DefaultDirectory.VARIABLE;

    /** System property of Aeron that names the default driver directory. */
    public static final String AERON_DIRECTORY_PROPERTY = DefaultDirectory.AERON_PROPERTY;

    /** Environment variable of Aeron that names the default driver directory. */
    public static final String AERON_DIRECTORY_VARIABLE = DefaultDirectory.AERON_VARIABLE;

    /** System property that names the default {@link #directoryOwner(String)}. */
    public static final String DIRECTORY_OWNER_PROPERTY = "verbus.directory-owner";

    /** Environment variable that names the default {@link #directoryOwner(String)}. */
    public static final String DIRECTORY_OWNER_VARIABLE = "VERBUS_DIRECTORY_OWNER";

    /** System property that names the default {@link #directoryGroup(String)}, as a driver's. */
    public static final String DIRECTORY_GROUP_PROPERTY = "verbus.directory-group";

    /**
     * Environment variable that names the default {@link #directoryGroup(String)}, as a driver's.
     */
    public static final String DIRECTORY_GROUP_VARIABLE = "VERBUS_DIRECTORY_GROUP";

    /** System property that names the default {@link #logDirectory(String)}, as a driver's. */
    public static final String LOG_DIRECTORY_PROPERTY = "verbus.log-directory";

    /** Environment variable that names the default {@link #logDirectory(String)}, as a driver's. */
    public static final String LOG_DIRECTORY_VARIABLE = "VERBUS_LOG_DIRECTORY";

    String directoryName = defaultDirectoryName();
    String directoryOwner = setting(DIRECTORY_OWNER_PROPERTY, DIRECTORY_OWNER_VARIABLE, null);
    String directoryGroup = setting(DIRECTORY_GROUP_PROPERTY, DIRECTORY_GROUP_VARIABLE, null);
    String logDirectory = setting(LOG_DIRECTORY_PROPERTY, LOG_DIRECTORY_VARIABLE, null);
    ErrorHandler errorHandler = error -> System.err.println("verbus client: " + error);
    AvailableImageHandler availableImageHandler = image -> {};
    UnavailableImageHandler unavailableImageHandler = image -> {};
    PublicationErrorHandler publicationErrorHandler; // null: the error handler
    DriverLostHandler driverLostHandler = (bus, reason) -> {};
    boolean reconnect;
    Consumer<Bus> driverBackHandler = bus -> {};
    ErrorHandler subscriberErrorHandler; // null: the error handler
    AvailableCounterHandler availableCounterHandler; // null: nobody is told
    UnavailableCounterHandler unavailableCounterHandler; // null: nobody is told
    Runnable closeHandler; // null: nobody is told

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

    abstract Bus.Context self();

    /**
     * The driver directory where nothing else is said: the first that is set of the system
     * properties {@value #DIRECTORY_PROPERTY} and {@value #AERON_DIRECTORY_PROPERTY} and the
     * environment variables {@value #DIRECTORY_VARIABLE} and {@value #AERON_DIRECTORY_VARIABLE},
     * else {@code /dev/shm/aeron-USER}, or {@code aeron-USER} in the folder for temporary files
     * where there is no {@code /dev/shm}.
     */
    public static String defaultDirectoryName() {
        return DefaultDirectory.name();
    }

    private static String setting(String property, String variable, String preset) {
        String value = System.getenv(variable);
        return System.getProperty(property, value != null && !value.isEmpty() ? value : preset);
    }

    /**
     * @param directoryName of the driver to connect to.
     */
    public Bus.Context directoryName(String directoryName) {
        this.directoryName = Objects.requireNonNull(directoryName);
        return self();
    }

    /**
     * @param directory of the driver to connect to, such as that of an embedded driver.
     */
    public Bus.Context directoryName(Path directory) {
        return directoryName(directory.toString());
    }

    /** Directory of the driver to connect to. */
    public String directoryName() {
        return directoryName;
    }

    /**
     * @param user whose driver is believed besides this user's and root's: name or number, or null
     *     for nobody. Default: the system property {@value #DIRECTORY_OWNER_PROPERTY}, else the
     *     environment variable {@value #DIRECTORY_OWNER_VARIABLE}, else nobody.
     */
    public Bus.Context directoryOwner(String user) {
        this.directoryOwner = user;
        return self();
    }

    /**
     * @param group that may write to the driver's files besides this process' own: name or number,
     *     or null for none. It is the {@code directory-group} of the driver. Default: the system
     *     property {@value #DIRECTORY_GROUP_PROPERTY}, else the environment variable {@value
     *     #DIRECTORY_GROUP_VARIABLE}, else none.
     */
    public Bus.Context directoryGroup(String group) {
        this.directoryGroup = group;
        return self();
    }

    /**
     * @param mount of huge pages on which logs may lie, null for none. It is the {@code
     *     log-directory} of the driver. Default: the system property {@value
     *     #LOG_DIRECTORY_PROPERTY}, else the environment variable {@value #LOG_DIRECTORY_VARIABLE},
     *     else none.
     */
    public Bus.Context logDirectory(String mount) {
        this.logDirectory = mount;
        return self();
    }

    /** Whose driver is believed, as set here. */
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
     * @param handler of errors that no call can throw, and of what application handlers throw.
     *     Called on the client conductor's thread or on a polling thread. Default: one line on
     *     standard error.
     */
    public Bus.Context errorHandler(ErrorHandler handler) {
        this.errorHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler of images that join subscriptions without a handler of their own.
     */
    public Bus.Context availableImageHandler(AvailableImageHandler handler) {
        this.availableImageHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler of images that leave subscriptions without a handler of their own.
     */
    public Bus.Context unavailableImageHandler(UnavailableImageHandler handler) {
        this.unavailableImageHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler of publications whose stream is refused. Default: the error handler.
     */
    public Bus.Context publicationErrorHandler(PublicationErrorHandler handler) {
        this.publicationErrorHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler told, after the error handler, when the driver is lost.
     */
    public Bus.Context driverLostHandler(DriverLostHandler handler) {
        this.driverLostHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param reconnect whether a bus that has lost its driver connects to the next one in the
     *     directory, or to the same one when it goes on, and adds its publications, subscriptions
     *     with their destinations, and counters again: the objects stay. Default: no, the bus is
     *     closed.
     *     <p>Until then the bus is not closed and not connected. Images are closed, and the
     *     unavailable-image handlers called. Publications return {@link Publication#NOT_CONNECTED},
     *     subscriptions have no images, closing works, and what is added waits for the next driver,
     *     up to the driver timeout. Destinations, rejects and {@link Bus#nextSessionId} fail with a
     *     {@link DriverLostException}.
     *     <p>What was in the logs of the lost driver and not consumed is lost. At the next one,
     *     streams are new: positions begin anew, where the channel says or at 0. Session ids,
     *     unless the channel sets them, registration ids, client id, term lengths and MTUs may be
     *     others; images are new objects. What the next driver refuses is told to the error
     *     handler, and closed.
     */
    public Bus.Context reconnect(boolean reconnect) {
        this.reconnect = reconnect;
        return self();
    }

    /**
     * @param handler told, where {@link #reconnect(boolean)} is set, each time that the bus is
     *     connected to the next driver and that has answered for all that was added again. Called
     *     on the client conductor's thread.
     */
    public Bus.Context driverBackHandler(Consumer<Bus> handler) {
        this.driverBackHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler of what fragment handlers throw, and of invalid frames. Called on a polling
     *     thread. Default: the error handler.
     */
    public Bus.Context subscriberErrorHandler(ErrorHandler handler) {
        this.subscriberErrorHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler of counters that clients add, this one included; more can be added, see {@link
     *     Bus#addAvailableCounterHandler}.
     */
    public Bus.Context availableCounterHandler(AvailableCounterHandler handler) {
        this.availableCounterHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler of counters of clients that go, this one included; more can be added, see
     *     {@link Bus#addUnavailableCounterHandler}.
     */
    public Bus.Context unavailableCounterHandler(UnavailableCounterHandler handler) {
        this.unavailableCounterHandler = Objects.requireNonNull(handler);
        return self();
    }

    /**
     * @param handler told once when the bus is closed, or has lost its driver; more can be added,
     *     see {@link Bus#addCloseHandler}.
     */
    public Bus.Context closeHandler(Runnable handler) {
        this.closeHandler = Objects.requireNonNull(handler);
        return self();
    }
}
