// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;

/**
 * Checks whether a record from another process contains the whole message that its type id
 * announces, a command or an event. Decoders check nothing, so call this before each.
 *
 * <p>A record may be longer than its message, because some clients claim more than they write; the
 * lengths in the fields count, not that of the record. Copy a record first if its writer can still
 * change it. Values are not checked: a decoder throws on an unknown error code or address type, its
 * {@code Raw} accessor does not.
 */
public final class MessageBounds {
    private static final int UNKNOWN = -1;

    private MessageBounds() {}

    /** {@return whether the type is a known command or event} */
    public static boolean isKnown(int typeId) {
        return blockLength(typeId) != UNKNOWN;
    }

    /**
     * {@return whether the record contains the fixed part of the message and each of its fields of
     * variable length; false if the type is unknown}
     *
     * @param typeId type id of the record.
     * @param buffer buffer with the record; nothing outside the record is read.
     * @param offset offset of the record in the buffer.
     * @param length length of the record in bytes, without the framing of the ring or broadcast
     *     buffer.
     */
    public static boolean isWhole(int typeId, DirectBuffer buffer, int offset, int length) {
        int block = blockLength(typeId);
        if (block == UNKNOWN || length < block) {
            return false;
        }
        // A long cannot overflow, whatever the length of a field.
        long end = block;
        for (int left = varDataCount(typeId); left > 0; left--) {
            long header = BitUtil.align(end, VarData.HEADER_LENGTH);
            long data = header + VarData.HEADER_LENGTH;
            if (data > length) {
                return false;
            }
            int dataLength = VarData.length(buffer, offset + (int) header);
            end = data + dataLength;
            if (dataLength < 0 || end > length) {
                return false;
            }
        }
        return true;
    }

    /** Returns the length of the fixed part in bytes, or UNKNOWN. */
    private static int blockLength(int typeId) {
        return switch (typeId) {
            case AddPublicationDecoder.TEMPLATE_ID -> AddPublicationDecoder.BLOCK_LENGTH;
            // The flags may be absent.
            case RemovePublicationDecoder.TEMPLATE_ID ->
                    RemovePublicationDecoder.flagsEncodingOffset();
            case AddExclusivePublicationDecoder.TEMPLATE_ID ->
                    AddExclusivePublicationDecoder.BLOCK_LENGTH;
            case AddSubscriptionDecoder.TEMPLATE_ID -> AddSubscriptionDecoder.BLOCK_LENGTH;
            case RemoveSubscriptionDecoder.TEMPLATE_ID -> RemoveSubscriptionDecoder.BLOCK_LENGTH;
            case ClientKeepaliveDecoder.TEMPLATE_ID -> ClientKeepaliveDecoder.BLOCK_LENGTH;
            case AddDestinationDecoder.TEMPLATE_ID -> AddDestinationDecoder.BLOCK_LENGTH;
            case RemoveDestinationDecoder.TEMPLATE_ID -> RemoveDestinationDecoder.BLOCK_LENGTH;
            case AddCounterDecoder.TEMPLATE_ID -> AddCounterDecoder.BLOCK_LENGTH;
            case RemoveCounterDecoder.TEMPLATE_ID -> RemoveCounterDecoder.BLOCK_LENGTH;
            case ClientCloseDecoder.TEMPLATE_ID -> ClientCloseDecoder.BLOCK_LENGTH;
            case AddReceiveDestinationDecoder.TEMPLATE_ID ->
                    AddReceiveDestinationDecoder.BLOCK_LENGTH;
            case RemoveReceiveDestinationDecoder.TEMPLATE_ID ->
                    RemoveReceiveDestinationDecoder.BLOCK_LENGTH;
            case TerminateDriverDecoder.TEMPLATE_ID -> TerminateDriverDecoder.BLOCK_LENGTH;
            case AddStaticCounterDecoder.TEMPLATE_ID -> AddStaticCounterDecoder.BLOCK_LENGTH;
            case RejectImageDecoder.TEMPLATE_ID -> RejectImageDecoder.BLOCK_LENGTH;
            case RemoveDestinationByIdDecoder.TEMPLATE_ID ->
                    RemoveDestinationByIdDecoder.BLOCK_LENGTH;
            case GetNextAvailableSessionIdDecoder.TEMPLATE_ID ->
                    GetNextAvailableSessionIdDecoder.BLOCK_LENGTH;

            case ErrorDecoder.TEMPLATE_ID -> ErrorDecoder.BLOCK_LENGTH;
            case AvailableImageDecoder.TEMPLATE_ID -> AvailableImageDecoder.BLOCK_LENGTH;
            case PublicationReadyDecoder.TEMPLATE_ID -> PublicationReadyDecoder.BLOCK_LENGTH;
            case OperationSuccessDecoder.TEMPLATE_ID -> OperationSuccessDecoder.BLOCK_LENGTH;
            case UnavailableImageDecoder.TEMPLATE_ID -> UnavailableImageDecoder.BLOCK_LENGTH;
            case ExclusivePublicationReadyDecoder.TEMPLATE_ID ->
                    ExclusivePublicationReadyDecoder.BLOCK_LENGTH;
            case SubscriptionReadyDecoder.TEMPLATE_ID -> SubscriptionReadyDecoder.BLOCK_LENGTH;
            case CounterReadyDecoder.TEMPLATE_ID -> CounterReadyDecoder.BLOCK_LENGTH;
            case UnavailableCounterDecoder.TEMPLATE_ID -> UnavailableCounterDecoder.BLOCK_LENGTH;
            case ClientTimeoutDecoder.TEMPLATE_ID -> ClientTimeoutDecoder.BLOCK_LENGTH;
            case StaticCounterDecoder.TEMPLATE_ID -> StaticCounterDecoder.BLOCK_LENGTH;
            case PublicationErrorDecoder.TEMPLATE_ID -> PublicationErrorDecoder.BLOCK_LENGTH;
            case NextAvailableSessionIdDecoder.TEMPLATE_ID ->
                    NextAvailableSessionIdDecoder.BLOCK_LENGTH;
            default -> UNKNOWN;
        };
    }

    /** Returns the number of fields of variable length: channels, messages, keys and the like. */
    private static int varDataCount(int typeId) {
        return switch (typeId) {
            case AddCounterDecoder.TEMPLATE_ID,
                    AddStaticCounterDecoder.TEMPLATE_ID,
                    AvailableImageDecoder.TEMPLATE_ID ->
                    2;
            case AddPublicationDecoder.TEMPLATE_ID,
                    AddExclusivePublicationDecoder.TEMPLATE_ID,
                    AddSubscriptionDecoder.TEMPLATE_ID,
                    AddDestinationDecoder.TEMPLATE_ID,
                    RemoveDestinationDecoder.TEMPLATE_ID,
                    AddReceiveDestinationDecoder.TEMPLATE_ID,
                    RemoveReceiveDestinationDecoder.TEMPLATE_ID,
                    TerminateDriverDecoder.TEMPLATE_ID,
                    RejectImageDecoder.TEMPLATE_ID,
                    ErrorDecoder.TEMPLATE_ID,
                    PublicationReadyDecoder.TEMPLATE_ID,
                    ExclusivePublicationReadyDecoder.TEMPLATE_ID,
                    UnavailableImageDecoder.TEMPLATE_ID,
                    PublicationErrorDecoder.TEMPLATE_ID ->
                    1;
            default -> 0;
        };
    }
}
