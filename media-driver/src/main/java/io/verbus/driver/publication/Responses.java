// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.ResponseLink;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.image.NetworkImage;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.logbuffer.LogLayout;

import java.util.ArrayList;
import java.util.List;

/**
 * Connects response publications with response subscriptions. Used by the conductor's thread.
 *
 * <pre>
 *   requester                                  responder
 *   subscription, awaits a session             subscription to requests
 *   publication of requests ──── set-up ────▶  image of requests
 *                                              publication that responds
 *   session is known        ◀── its session ── sent until its requester connects
 *   asks for the session    ──── status ────▶  is connected
 * </pre>
 */
public final class Responses {
    private final Subscriptions subscriptions;

    /**
     * Response publications that are being announced to their requesters, each with its request
     * image.
     */
    private final List<Told> told = new ArrayList<>();

    private record Told(Publication publication, NetworkImage requests) {}

    public Responses(Subscriptions subscriptions) {
        this.subscriptions = subscriptions;
    }

    /**
     * Checks the request and response parameters of a publication's channel. A client must own its
     * response subscription, but may name any image: in Aeron, one client may read requests and
     * another may answer them.
     *
     * @throws CommandException if a named subscription or image does not exist.
     */
    void check(long clientId, ChannelUri channel) {
        ResponseLink link = channel.response();
        if (link.isRequest() && subscriptions.list().get(clientId, link.correlationId()) == null) {
            throw new CommandException(
                    ErrorCode.GENERIC_ERROR,
                    "unable to find response subscription for response-correlation-id="
                            + link.correlationId()
                            + ": add the subscription with control-mode=response first");
        }
        if (link.isOfImage()) {
            checkRequests(channel, link.correlationId());
        }
    }

    private void checkRequests(ChannelUri channel, long imageId) {
        Subscribable requests = subscriptions.sources().get(imageId);
        boolean isThere =
                channel.isIpc()
                        ? requests instanceof IpcPublication
                        : requests instanceof NetworkImage;
        if (!isThere) {
            throw new CommandException(
                    ErrorCode.GENERIC_ERROR,
                    "image.correlationId="
                            + imageId
                            + " not found: use the id of an available image that runs over the same"
                            + " media");
        }
        boolean isOfRequests =
                requests instanceof NetworkImage image
                        ? image.wantsResponses()
                        : ((Publication) requests).named().response().isRequest();
        if (!isOfRequests) {
            throw new CommandException(
                    ErrorCode.GENERIC_ERROR,
                    "image.correlationId="
                            + imageId
                            + " did not request a response channel: set "
                            + "response-correlation-id on its publication");
        }
    }

    /** Announces a new response publication to its requester. */
    void onPublication(Publication publication) {
        ResponseLink link = publication.named().response();
        if (!link.isOfImage()) {
            return;
        }
        Subscribable requests = subscriptions.sources().get(link.correlationId());
        if (requests instanceof IpcPublication ipc && publication instanceof IpcPublication) {
            subscriptions.onResponses(
                    ipc.named().response().correlationId(), publication.sessionId());
        } else if (requests instanceof NetworkImage image
                && publication instanceof NetworkPublication) {
            told.add(new Told(publication, image));
            image.tellResponseSession(publication.sessionId());
        }
    }

    /** Handles the response session id that a peer has reported for a publication of requests. */
    public void onSession(NetworkPublication requests, int sessionId) {
        if (requests.named().response().isRequest()) {
            subscriptions.onResponses(requests.named().response().correlationId(), sessionId);
        }
    }

    /**
     * Stops announcing publications that have closed or whose requesters have connected. Called at
     * the timer interval.
     */
    void watch() {
        for (int i = told.size() - 1; i >= 0; i--) {
            Told each = told.get(i);
            boolean isConnected =
                    each.publication.log().metadata().getIntVolatile(LogLayout.CONNECTED) != 0;
            if (isConnected || !each.publication.isOpen()) {
                each.requests.tellResponseSession(null);
                told.remove(i);
            }
        }
    }

    /** Forgets a publication whose log is about to be unmapped. */
    void onFreed(Publication publication) {
        told.removeIf(each -> each.publication == publication);
    }
}
