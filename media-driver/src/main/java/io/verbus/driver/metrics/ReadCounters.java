// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.CncFile;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/** The counters of a driver, whatever a client has written into their labels and states. */
public final class ReadCounters {
    /** Takes one counter; the key is valid during the call. */
    @FunctionalInterface
    public interface Taker {
        /**
         * @param id of the counter.
         * @param typeId of the counter.
         * @param key as it is in the file.
         * @param label cut to its place, without control characters.
         */
        void take(int id, int typeId, DirectBuffer key, String label);
    }

    /** Takes one counter without its label; the key is valid during the call. */
    @FunctionalInterface
    public interface KeyTaker {
        /**
         * @param id of the counter.
         * @param typeId of the counter.
         * @param key a copy.
         */
        void take(int id, int typeId, DirectBuffer key);
    }

    private final DirectBuffer metadata;
    private final CountersReader reader;

    /**
     * @param cnc of the driver.
     */
    public ReadCounters(CncFile cnc) {
        metadata = cnc.counterMetadata();
        reader = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /** Values, registration ids, owners and references. */
    public CountersReader values() {
        return reader;
    }

    /** Takes those in use, by id. A label is cut to its place, and its control characters go. */
    public void forEach(Taker taker) {
        forEach((id, typeId, key) -> taker.take(id, typeId, key, label(id)));
    }

    /** Takes those in use, by id. */
    public void forEach(KeyTaker taker) {
        UnsafeBuffer key = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);
        for (int id = 0; id <= reader.maxCounterId(); id++) {
            int state = reader.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                return;
            }
            if (state == CountersReader.RECORD_ALLOCATED) {
                int at = CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET;
                key.putBytes(0, metadata, at, CountersReader.MAX_KEY_LENGTH);
                taker.take(id, reader.getCounterTypeId(id), key);
            }
        }
    }

    /** The label of a counter, cut to its place, without control characters. */
    public String label(int id) {
        int at = CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET;
        int length = Math.clamp(metadata.getInt(at), 0, CountersReader.MAX_LABEL_LENGTH);
        int text = at + Integer.BYTES;
        return metadata.getStringWithoutLengthAscii(text, length).replaceAll("\\p{Cntrl}", "?");
    }
}
