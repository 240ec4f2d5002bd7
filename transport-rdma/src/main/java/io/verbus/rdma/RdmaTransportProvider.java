// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import io.verbus.rdma.auth.KeyFile;
import io.verbus.rdma.common.AllowList;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.common.WriteOrder;
import io.verbus.rdma.fabric.DeviceSubnets;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.KernelFiles;
import io.verbus.rdma.verbs.VerbsFabric;
import io.verbus.transport.DeviceWatch;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;
import io.verbus.transport.TransportSettings;

import java.util.ArrayList;
import java.util.List;

/** Provides the RDMA transport. */
public final class RdmaTransportProvider implements TransportProvider {
    /** Written by the thread that prepares. Read by the conductor after that thread has ended. */
    private boolean isPrepared;

    /** Failure of the last preparation, or null; written and read like {@link #isPrepared}. */
    private FabricException refusal;

    @Override
    public String media() {
        return "rdma";
    }

    @Override
    public String protocol() {
        return Versions.OURS.lowest() + " to " + Versions.OURS.highest();
    }

    @Override
    public List<Option<?>> options() {
        return RdmaOptions.ALL;
    }

    @Override
    public void check(TransportSettings settings) {
        RdmaOptions.of(settings);
        AllowList.of(settings);
        KeyFile.check(settings);
        networks(settings);
    }

    @Override
    public Networks networks(TransportSettings settings) {
        return RdmaOptions.networks(settings);
    }

    @Override
    public List<String> notes(TransportSettings settings) {
        List<String> notes = new ArrayList<>();
        Networks networks = networks(settings);
        if (!networks.isEmpty()) {
            notes.add("carries aeron:udp channels whose address is in " + networks);
        }
        Networks subnets = DeviceSubnets.find();
        if (subnets != null) {
            notes.add("admits " + AllowList.of(settings).description(subnets));
        }
        String untried = untried(System.getProperty("os.arch"));
        if (untried != null) {
            notes.add(untried);
        }
        if (RdmaOptions.of(settings).order() == WriteOrder.SAFE) {
            notes.add("commits each batch only after the peer has confirmed it (rdma.order=safe)");
        }
        return notes;
    }

    @Override
    public void prepare() {
        refusal = null;
        try {
            VerbsFabric.prepare();
        } catch (FabricException e) {
            refusal = e;
        }
        isPrepared = true;
    }

    @Override
    public DeviceWatch watch(TransportHost host, long nowNs) {
        return new DeviceStates(host, KernelFiles.DEVICES, nowNs);
    }

    /**
     * Returns a warning for an architecture on which RDMA is untested.
     *
     * @return the warning, or null if RDMA is tested there.
     */
    static String untried(String architecture) {
        return architecture.equals("amd64")
                ? null
                : "RDMA is untested on "
                        + architecture
                        + ", where libibverbs does not guarantee the order of any adapter's writes:"
                        + " set rdma.order to safe, and test RDMA before you rely on it";
    }

    @Override
    public Transport open(TransportHost host) {
        RdmaOptions options = RdmaOptions.of(host);
        String untried = untried(System.getProperty("os.arch"));
        if (untried != null) {
            host.onError(new TransportException("WARN: " + untried));
        }
        if (!isPrepared) {
            prepare();
        }
        if (refusal != null) {
            throw new TransportException(refusal.getMessage(), refusal);
        }
        try {
            return new RdmaTransport(
                    host,
                    VerbsFabric.openPrepared(host::onError, options.order() == WriteOrder.CHECK),
                    options,
                    System.nanoTime());
        } catch (FabricException e) {
            throw new TransportException(e.getMessage(), e);
        }
    }
}
