// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.calls.Lane;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A listening id. Used by the conductor's thread only, which creates and closes it directly,
 * because these calls need no device. When the device is removed, which may delay the calls, the
 * lane destroys the id and creates the next one.
 */
final class VerbsListener implements Listener {
    private static final long FIRST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(5);

    private final VerbsFabric fabric;
    private final ConnectionManager manager;
    private final Lane lane;
    private final ConnectionOptions options;
    private final InetSocketAddress localAddress;

    /** 0 while waiting for the device, during which the lane uses it. */
    private long id;

    private long againNs;
    private long waitNs;
    private boolean isLost;
    private boolean isTrying;
    private boolean isClosed;

    VerbsListener(
            VerbsFabric fabric,
            ConnectionManager manager,
            Lane lane,
            InetSocketAddress address,
            ConnectionOptions options) {
        this.fabric = fabric;
        this.manager = manager;
        this.lane = lane;
        this.options = options;
        id = listen(address);
        localAddress = manager.localAddress(id);
    }

    private long listen(InetSocketAddress address) {
        long made = manager.createId(this);
        try {
            manager.listen(made, address);
            requireDevice(made, address);
            return made;
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

    /** Returns the options of incoming connections. */
    ConnectionOptions options() {
        return options;
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        fabric.forget(this);
        if (isLost) {
            lane.call("rdma_destroy_id of a listener", this::destroy, fabric::tellFailure);
        } else {
            destroy();
        }
    }

    private void destroy() {
        if (id != 0) {
            manager.destroyId(id);
            id = 0;
        }
    }

    /** Stops listening until {@link #tryAgain} succeeds. */
    void lose() {
        isLost = true;
        lane.call("rdma_destroy_id of a listener", this::destroy, fabric::tellFailure);
    }

    /** Tries to listen at the same address again, if the wait has passed. */
    void tryAgain(long nowNs) {
        if (isTrying || waitNs != 0 && nowNs - againNs < 0) {
            return;
        }
        isTrying = true;
        waitNs = waitNs == 0 ? FIRST_WAIT_NS : Math.min(2 * waitNs, LONGEST_WAIT_NS);
        againNs = nowNs + waitNs;
        lane.call("rdma_listen", () -> id = listen(localAddress), this::onTried);
    }

    private void onTried(RuntimeException failure) {
        isTrying = false;
        if (failure == null && !isClosed) {
            isLost = false;
            waitNs = 0;
            fabric.onBack(this);
        } else if (failure != null && !(failure instanceof VerbsException)) {
            fabric.tellFailure(failure); // otherwise the device is not back yet
        }
    }
}
