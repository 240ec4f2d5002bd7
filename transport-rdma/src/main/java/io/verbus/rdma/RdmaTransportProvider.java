// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import io.verbus.rdma.common.AllowList;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.verbs.VerbsFabric;
import io.verbus.transport.DeviceWatch;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;
import io.verbus.transport.TransportSettings;

import java.util.List;

/** Opens the transport over this host's RDMA devices. */
public final class RdmaTransportProvider implements TransportProvider {
    @Override
    public String media() {
        return "rdma";
    }

    @Override
    public List<Option<?>> options() {
        return RdmaOptions.ALL;
    }

    @Override
    public void check(TransportSettings settings) {
        RdmaOptions.of(settings);
        AllowList.of(settings);
        networks(settings);
    }

    @Override
    public Networks networks(TransportSettings settings) {
        String text = RdmaOptions.NETWORKS.read(settings);
        return text.equals(RdmaOptions.NO_NETWORKS)
                ? Networks.NONE
                : Networks.of(RdmaOptions.NETWORKS.name(), text);
    }

    @Override
    public void prepare() {
        VerbsFabric.prepare();
    }

    @Override
    public DeviceWatch watch(TransportHost host, long nowNs) {
        return new DeviceStates(host, DeviceStates.SYSFS, nowNs);
    }

    @Override
    public Transport open(TransportHost host) {
        RdmaOptions options = RdmaOptions.of(host);
        try {
            return new RdmaTransport(
                    host, VerbsFabric.open(host::onError), options, System.nanoTime());
        } catch (FabricException e) {
            throw new TransportException(e.getMessage(), e);
        }
    }
}
