// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

class ClientLocksTest {
    private static final long ID = (1L << 40) + 7;

    @TempDir Path directory;

    @Test
    void keepsLockWhenProcessClosesAnotherLock() {
        try (ClientLocks driver = ClientLocks.create(directory)) {
            ClientLocks client = ClientLocks.hold(directory, ID);
            ClientLocks other = ClientLocks.hold(directory, ID + 1);
            assertTrue(driver.isHeld(ID) && driver.isHeld(ID + 1));
            assertFalse(driver.isHeld(ID - 1));
            other.close();
            assertTrue(driver.isHeld(ID), "closing another lock must not release it");
            assertFalse(driver.isHeld(ID + 1));
            client.close();
            assertFalse(driver.isHeld(ID));
        }
    }

    @Test
    void reportsInvalidIdsAsNotHeld() {
        try (ClientLocks driver = ClientLocks.create(directory);
                ClientLocks _ = ClientLocks.hold(directory, Long.MAX_VALUE)) {
            assertTrue(driver.isHeld(Long.MAX_VALUE));
            assertFalse(driver.isHeld(-1));
            assertFalse(driver.isHeld(Long.MIN_VALUE));
            assertThrows(BusException.class, () -> ClientLocks.hold(directory, -1));
        }
    }

    @Test
    void keepsLockWhenFileIsOpenedAndClosedElsewhere() throws Exception {
        try (ClientLocks driver = ClientLocks.create(directory)) {
            ClientLocks client = ClientLocks.hold(directory, ID);
            assertTrue(Files.readAllBytes(directory.resolve(ClientLocks.NAME)).length == 0);
            assertTrue(driver.isHeld(ID));
            assertThrows(BusException.class, () -> ClientLocks.hold(directory, ID));
            assertTrue(driver.isHeld(ID));
            client.close();
        }
    }

    @Test
    void takesNoLockIfDriverHasNoLockFile() {
        assertNull(ClientLocks.hold(directory, ID));
    }

    @Test
    void reportsFileThatCannotBeOpened() throws Exception {
        Files.createSymbolicLink(
                directory.resolve(ClientLocks.NAME),
                Files.createFile(directory.resolve("elsewhere")));
        BusException error =
                assertThrows(BusException.class, () -> ClientLocks.hold(directory, ID));
        assertTrue(error.getMessage().contains("cannot open"), error.getMessage());
    }
}
