// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.HashSet;
import java.util.Set;

/**
 * Warns of unsuitable connection paths. Each finding is logged once, with its remedy, and counted
 * each time. Used by the conductor's thread.
 */
final class PathWarnings {
    private final TransportHost host;
    private final String linkLayer;
    private final AtomicCounter roceV1;
    private final AtomicCounter linkLocal;
    private final AtomicCounter otherLinkLayer;
    private final AtomicCounter smallMtu;
    private final AtomicCounter disorder;
    private final AtomicCounter confirmed;
    private final Set<String> told = new HashSet<>();

    /**
     * @param host the driver.
     * @param counters counters of the transport.
     * @param linkLayer expected link layer, or null for any that InfiniBand or iWARP can have.
     */
    PathWarnings(TransportHost host, SystemCounters counters, String linkLayer) {
        this.host = host;
        this.linkLayer = linkLayer;
        roceV1 = counters.counter(TransportCounter.RDMA_ROCE_V1);
        linkLocal = counters.counter(TransportCounter.RDMA_LINK_LOCAL);
        otherLinkLayer = counters.counter(TransportCounter.RDMA_LINK_LAYER);
        smallMtu = counters.counter(TransportCounter.RDMA_SMALL_MTU);
        disorder = counters.counter(TransportCounter.RDMA_DISORDER);
        confirmed = counters.counter(TransportCounter.RDMA_CONFIRMED);
    }

    /**
     * Checks the path of an established connection.
     *
     * @param path path of the connection.
     * @param confirms whether each side commits only what the other side has confirmed.
     */
    void look(PathInfo path, boolean confirms) {
        String port = path.device() + " port " + path.port();
        String untold = path.device() + " does not report the path of a connection (ibv_query_qp)";
        if (!path.isKnown() && told.add(untold)) {
            host.onError(
                    new TransportException(
                            "WARN: "
                                    + untold
                                    + ", so the driver cannot check MTU, GID and time-outs"));
        }
        if (path.isRoce() && path.gidType().equals(PathAdvice.ROCE_V1)) {
            warn(
                    roceV1,
                    port + " connects over " + path.gidType() + ", which routers do not forward",
                    PathAdvice.useRoceV2(path.device(), path.port()));
        }
        if (path.isRoce() && path.gid() != null && path.gid().isLinkLocalAddress()) {
            warn(
                    linkLocal,
                    port
                            + " connects over the link-local GID "
                            + path.gid().getHostAddress()
                            + ", which is not routable",
                    "set endpoint and interface to addresses that are not link-local");
        }
        if (confirms) {
            confirmed.incrementRelease();
        } else if (path.order() == PathInfo.Order.DOUBTFUL) {
            warn(
                    disorder,
                    path.device()
                            + " may place a later write before an earlier one, so subscribers "
                            + "could silently read corrupt messages",
                    PathAdvice.keepOrder(path.isIwarp())
                            + "; set rdma.order=safe to use such connections, or "
                            + "rdma.order=check to reject them");
        }
        if (!isExpected(path)) {
            warn(
                    otherLinkLayer,
                    port + " has link layer " + path.linkLayer() + ", but " + expected(path),
                    "correct the channels' addresses, or verbus.rdma.link-layer");
        }
        if (path.pathMtu() > 0 && path.pathMtu() < path.maxMtu()) {
            warn(
                    smallMtu,
                    port + " uses path MTU " + path.pathMtu() + ", but supports " + path.maxMtu(),
                    path.isRoce()
                            ? PathAdvice.raiseRoceMtu(path.netdev(), path.maxMtu())
                            : PathAdvice.raiseInfiniBandMtu());
        }
    }

    private boolean isExpected(PathInfo path) {
        return path.linkLayer().equals(PathAdvice.ETHERNET)
                ? linkLayer == null || linkLayer.equals(PathAdvice.ETHERNET)
                : path.linkLayer().equals(PathAdvice.INFINIBAND)
                        && !path.isIwarp()
                        && (linkLayer == null || linkLayer.equals(PathAdvice.INFINIBAND));
    }

    private String expected(PathInfo path) {
        if (linkLayer != null) {
            return "verbus.rdma.link-layer requires " + linkLayer;
        }
        return (path.isIwarp() ? "Ethernet" : "InfiniBand or Ethernet") + " was expected";
    }

    private void warn(AtomicCounter counter, String finding, String remedy) {
        counter.incrementRelease();
        if (told.add(finding)) {
            host.onError(new TransportException("WARN: " + finding + ": " + remedy));
        }
    }
}
