// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.CncFile;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads the counters of a driver, tolerating anything that a client may have written to their
 * labels and states.
 */
public final class ReadCounters {
    /** Receives one counter; the key is valid only during the call. */
    @FunctionalInterface
    public interface Taker {
        /**
         * @param id id of the counter.
         * @param typeId type of the counter.
         * @param key key in the file.
         * @param label label, limited to its field and without control characters.
         */
        void take(int id, int typeId, DirectBuffer key, String label);
    }

    /** Receives one counter without its label; the key is valid only during the call. */
    @FunctionalInterface
    public interface KeyTaker {
        /**
         * @param id id of the counter.
         * @param typeId type of the counter.
         * @param key copy of the key.
         */
        void take(int id, int typeId, DirectBuffer key);
    }

    private final DirectBuffer metadata;
    private final CountersReader reader;

    /**
     * @param cnc CnC file of the driver.
     */
    public ReadCounters(CncFile cnc) {
        metadata = cnc.counterMetadata();
        reader = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /** Returns the reader for values, registration ids, owner ids and reference ids. */
    public CountersReader values() {
        return reader;
    }

    /**
     * Passes the counters in use in the order of their ids. Labels are limited to their field, and
     * control characters are removed.
     */
    public void forEach(Taker taker) {
        forEach((id, typeId, key) -> taker.take(id, typeId, key, label(id)));
    }

    /** Passes the counters in use in the order of their ids, without labels. */
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

    /** Returns a counter's label, limited to its field and without control characters. */
    public String label(int id) {
        int at = CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET;
        int length = Math.clamp(metadata.getInt(at), 0, CountersReader.MAX_LABEL_LENGTH);
        int text = at + Integer.BYTES;
        return metadata.getStringWithoutLengthAscii(text, length).replaceAll("\\p{Cntrl}", "?");
    }
}
