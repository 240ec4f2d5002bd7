// SPDX-License-Identifier: Apache-2.0

/** The files of a driver directory: with which rights they are made, and whose are opened. */
package io.verbus.directory;
