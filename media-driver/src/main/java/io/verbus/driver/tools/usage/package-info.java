// SPDX-License-Identifier: Apache-2.0

/** Help, completion and manual pages of the command line. */
package io.verbus.driver.tools.usage;
