// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;

/** A C library, loaded until the process exits. */
@SuppressWarnings("restricted")
final class SharedLibrary {
    private final String name;
    private final SymbolLookup symbols;

    SharedLibrary(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /**
     * Loads a library.
     *
     * @param name SONAME of the library; the name without a version belongs to the development
     *     package.
     * @throws VerbsException if it cannot be loaded.
     */
    static SharedLibrary open(String name) {
        try {
            return new SharedLibrary(name, SymbolLookup.libraryLookup(name, Arena.global()));
        } catch (IllegalArgumentException absent) {
            throw new VerbsException(
                    "cannot load the library "
                            + name
                            + ": install the packages libibverbs1, librdmacm1 and ibverbs-providers"
                            + " (Debian, Ubuntu) or libibverbs and librdmacm (Red Hat, Fedora,"
                            + " SUSE)",
                    absent);
        }
    }

    /**
     * Finds a function that only some versions of the library export; returns null if it is absent.
     */
    NativeFunction functionOrNull(String symbol) {
        return symbols.find(symbol).map(NativeFunction::new).orElse(null);
    }

    /** Finds an exported function. */
    NativeFunction function(String symbol) {
        return new NativeFunction(
                symbols.find(symbol)
                        .orElseThrow(
                                () ->
                                        new VerbsException(
                                                "the library "
                                                        + name
                                                        + " has no function "
                                                        + symbol
                                                        + ": install rdma-core 15 or later")));
    }
}
