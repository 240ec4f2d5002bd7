// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.calls.Lane;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A listening id. Used by the conductor's thread, except for the calls that create, bind and
 * destroy the id: these run on the listener's lane, because a device can delay them. When the
 * device is removed, the lane destroys the id and creates the next one.
 */
final class VerbsListener implements Listener {
    private static final long FIRST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final String DESTROY = "rdma_destroy_id of a listener";

    private final VerbsListeners all;
    private final ConnectionManager manager;
    private final Lane lane;
    private final ConnectionOptions options;
    private final InetSocketAddress requested;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();

    /** Id, or 0; used by the lane. */
    private long id;

    /** Null until the lane sets it, just before it listens. Read by the conductor. */
    private volatile InetSocketAddress localAddress;

    /** Written by the conductor; read by the lane, which then creates no id. */
    private volatile boolean isClosed;

    private long againNs;
    private long waitNs;
    private boolean isTrying;

    VerbsListener(
            VerbsListeners all,
            ConnectionManager manager,
            Lane lane,
            InetSocketAddress requested,
            ConnectionOptions options) {
        this.all = all;
        this.manager = manager;
        this.lane = lane;
        this.options = options;
        this.requested = requested;
    }

    // Conductor

    /** Starts listening. */
    void begin() {
        all.call(lane, "rdma_listen", () -> listen(requested), this::onBegun);
    }

    private void onBegun(RuntimeException failure) {
        if (isClosed || opened.isDone()) {
            return;
        }
        if (failure == null) {
            onListening();
        } else {
            isClosed = true;
            all.onRefused(this);
            opened.completeExceptionally(
                    failure instanceof FabricException
                            ? failure
                            : new FabricException(
                                    "cannot listen at "
                                            + SocketAddresses.text(requested)
                                            + ": "
                                            + failure,
                                    failure));
        }
    }

    /**
     * Called once the id listens, possibly twice: a connection request may overtake the result of
     * {@code rdma_listen}.
     */
    void onListening() {
        if (!isClosed && !opened.isDone()) {
            all.onListening(this);
            opened.complete(null);
        }
    }

    @Override
    public CompletableFuture<Void> opened() {
        return opened;
    }

    /** Returns the options of incoming connections. */
    ConnectionOptions options() {
        return options;
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * Returns whether two listeners cannot exist at the same time, because one listens at the
     * other's address.
     */
    boolean excludes(VerbsListener other) {
        InetSocketAddress mine = address();
        InetSocketAddress others = other.address();
        return mine.getPort() == others.getPort()
                && mine.getPort() != 0
                && (mine.getAddress().isAnyLocalAddress()
                        || others.getAddress().isAnyLocalAddress()
                        || mine.getAddress().equals(others.getAddress()));
    }

    private InetSocketAddress address() {
        InetSocketAddress bound = localAddress;
        return bound == null ? requested : bound;
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            if (all.onClosing(this)) {
                all.call(lane, DESTROY, this::destroy, failure -> all.onDestroyed(this, failure));
            }
        }
    }

    /** Stops listening by destroying the id; {@link #tryAgain} listens again. */
    void lose() {
        all.call(lane, DESTROY, this::destroy, all::tellFailure);
    }

    /** Tries to listen at the same address again, if the retry interval has passed. */
    void tryAgain(long nowNs) {
        if (isTrying || waitNs != 0 && nowNs - againNs < 0) {
            return;
        }
        isTrying = true;
        waitNs = waitNs == 0 ? FIRST_WAIT_NS : Math.min(2 * waitNs, LONGEST_WAIT_NS);
        againNs = nowNs + waitNs;
        all.call(lane, "rdma_listen", () -> listen(localAddress), this::onTried);
    }

    private void onTried(RuntimeException failure) {
        isTrying = false;
        if (failure == null && !isClosed) {
            waitNs = 0;
            all.onBack(this);
        } else if (failure != null && !(failure instanceof VerbsException)) {
            all.tellFailure(failure); // otherwise the device is not back yet
        }
    }

    // Calls that run on the lane

    private void listen(InetSocketAddress address) {
        if (isClosed) {
            return;
        }
        long made = manager.createId(this);
        try {
            manager.bind(made, address);
            requireDevice(made, address);
            localAddress = manager.localAddress(made);
            manager.listen(made, address);
            id = made;
        } catch (RuntimeException refused) {
            manager.destroyId(made);
            throw refused;
        }
    }

    /** Checks the device of an address. A wildcard address is checked when a connection arrives. */
    private void requireDevice(long made, InetSocketAddress address) {
        long context = manager.context(made);
        if (context != 0) {
            PathQuery.requireDevice(
                    Device.name(Memory.getLong(context + VerbsAbi.Context.DEVICE)),
                    options,
                    "the address " + SocketAddresses.text(address));
        }
    }

    private void destroy() {
        if (id != 0) {
            manager.destroyId(id);
            id = 0;
        }
    }
}
