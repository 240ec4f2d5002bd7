// SPDX-License-Identifier: Apache-2.0

/** Client commands: decoding, failures with their codes, and commands that wait. */
package io.verbus.driver.command;
