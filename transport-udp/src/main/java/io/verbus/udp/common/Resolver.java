// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Returns the addresses of channels, whose names the driver has looked up. Used by the conductor's
 * thread.
 *
 * @param host driver.
 */
public record Resolver(TransportHost host) {
    /**
     * Resolves a host.
     *
     * @throws TransportException if the host is unknown.
     */
    public InetSocketAddress resolve(String name, int port) {
        InetSocketAddress address = host.address(name, port);
        if (address.isUnresolved() && LocalInterface.isSearched(name)) {
            throw new TransportException(
                    (name.startsWith("{")
                                    ? "unknown interface "
                                            + name.substring(1, name.length() - 1)
                                            + ": no interface with an address has this name"
                                    : "Unable to find multicast or loopback interface matching"
                                            + " criteria: "
                                            + name)
                            + ": use an interface that `ip address` shows");
        }
        if (address.isUnresolved()) {
            String remedy = LocalInterface.remedyFor(name);
            throw new TransportException(
                    "unresolved - host name '"
                            + name
                            + "' cannot be resolved: "
                            + (remedy == null
                                    ? "use an IP address, or add the name to /etc/hosts"
                                    : remedy));
        }
        return address;
    }

    /**
     * Looks up names again, and runs an action that depends on them in a later turn of the
     * conductor.
     *
     * @param channel channel that names the hosts; the error log names it with each exception that
     *     {@code then} throws.
     * @param then action to run when {@link TransportHost#address} has the answers.
     */
    public void lookUp(ChannelUri channel, List<String> names, Runnable then) {
        CompletableFuture<?>[] lookUps =
                names.stream().map(host::lookUp).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(lookUps).thenRun(() -> run(channel, then));
    }

    /** Runs a look-up, and reports its exceptions, which a future would swallow. */
    private void run(ChannelUri channel, Runnable then) {
        try {
            then.run();
        } catch (RuntimeException e) {
            host.onError(channel, e);
        } catch (Error e) {
            host.onError(e); // ends the driver
        }
    }
}
