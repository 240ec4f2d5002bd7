// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.share.OwnedIds;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * The clients that have requested or hold publications, by the registration id of each request.
 * Several clients may hold the same publication. Used by the conductor's thread.
 */
public final class PublicationHolders {
    private static final class Holder {
        private final long clientId;
        private final long weight;
        private Publication publication; // null until its log exists

        private Holder(long clientId, long weight) {
            this.clientId = clientId;
            this.weight = weight;
        }
    }

    private final Shares shares;
    private final Long2ObjectHashMap<Holder> all = new Long2ObjectHashMap<>();
    private final OwnedIds ids = new OwnedIds();

    /**
     * @param shares shares of the clients, in which publications count.
     */
    public PublicationHolders(Shares shares) {
        this.shares = shares;
    }

    /** Requires that the client's share has room for a publication. */
    void require(long clientId, ChannelUri channel) {
        shares.require(Share.PUBLICATIONS, clientId, Shares.weight(channel));
    }

    /** Records a client's request, whose publication may have no log yet. */
    void request(long clientId, long registrationId, ChannelUri channel) {
        long weight = Shares.weight(channel);
        shares.take(Share.PUBLICATIONS, clientId, weight);
        all.put(registrationId, new Holder(clientId, weight));
        ids.add(clientId, registrationId);
    }

    /** Gives the requested publication to the client. */
    void hold(long registrationId, Publication publication) {
        all.get(registrationId).publication = publication;
        publication.addReference();
    }

    /**
     * Forgets a request.
     *
     * @return the publication that the client held under this id, or null.
     */
    Publication forget(long registrationId) {
        Holder holder = all.remove(registrationId);
        if (holder == null) {
            return null;
        }
        ids.remove(holder.clientId, registrationId);
        shares.giveBack(Share.PUBLICATIONS, holder.clientId, holder.weight);
        return holder.publication;
    }

    /** Returns the publication that a client holds under a registration id, or null. */
    public Publication publication(long clientId, long registrationId) {
        Holder holder = all.get(registrationId);
        return holder == null || holder.clientId != clientId ? null : holder.publication;
    }

    /** Returns the registration ids of a client's requests, in ascending order. */
    public long[] of(long clientId) {
        return ids.of(clientId);
    }

    /** Returns whether no other client holds a publication. */
    boolean isSole(long clientId, Publication publication) {
        int own = 0;
        for (long registrationId : ids.of(clientId)) {
            own += all.get(registrationId).publication == publication ? 1 : 0;
        }
        return publication.references() == own;
    }

    /** Returns whether a client has requested a publication under this registration id. */
    boolean contains(long registrationId) {
        return all.containsKey(registrationId);
    }

    /** Returns whether the given client has requested a publication under this registration id. */
    public boolean isOf(long clientId, long registrationId) {
        Holder holder = all.get(registrationId);
        return holder != null && holder.clientId == clientId;
    }

    /** Returns whether the log of a requested publication is being created. */
    public boolean isPreparing(long registrationId) {
        Holder holder = all.get(registrationId);
        return holder != null && holder.publication == null;
    }
}
