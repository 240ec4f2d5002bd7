// SPDX-License-Identifier: Apache-2.0

/** The command line of the project: runs a driver as a process, and inspects running drivers. */
package io.verbus.driver.tools;
