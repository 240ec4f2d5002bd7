// SPDX-License-Identifier: Apache-2.0

/**
 * The files of a driver directory: creating them with the right permissions, and checking whose
 * files are opened.
 */
package io.verbus.directory;
