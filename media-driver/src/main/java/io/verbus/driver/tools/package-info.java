// SPDX-License-Identifier: Apache-2.0

/** The command line of the project: the driver as a process, and what looks into a running one. */
package io.verbus.driver.tools;
