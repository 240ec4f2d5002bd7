// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.codecs.control.ErrorCode;

import java.net.InetSocketAddress;

/** An event from the driver to its clients, decoded and checked. */
public sealed interface DriverEvent {
    record CommandSucceeded(long correlationId) implements DriverEvent {}

    record CommandFailed(long correlationId, ErrorCode code, String message)
            implements DriverEvent {}

    record PublicationReady(
            long correlationId,
            long logRegistrationId,
            int sessionId,
            int streamId,
            int limitCounterId,
            int statusCounterId,
            boolean exclusive,
            String logFile)
            implements DriverEvent {}

    record SubscriptionReady(long correlationId, int statusCounterId) implements DriverEvent {}

    record ImageAvailable(
            long imageId,
            long subscriptionId,
            int sessionId,
            int streamId,
            int positionCounterId,
            String logFile,
            String source)
            implements DriverEvent {}

    record ImageUnavailable(long imageId, long subscriptionId) implements DriverEvent {}

    /** The address is null if the driver does not know it. */
    record PublicationFailed(
            long logRegistrationId,
            long destinationId,
            long receiverId,
            long groupTag,
            InetSocketAddress address,
            ErrorCode code,
            String message)
            implements DriverEvent {}

    record CounterReady(long correlationId, int counterId) implements DriverEvent {}

    record StaticCounterReady(long correlationId, int counterId) implements DriverEvent {}

    record CounterGone(long registrationId, int counterId) implements DriverEvent {}

    record NextSessionId(long correlationId, int sessionId) implements DriverEvent {}

    record ClientTimedOut(long clientId) implements DriverEvent {}
}
