// SPDX-License-Identifier: Apache-2.0

/** Client commands and the events that answer them, failures, and commands that wait. */
package io.verbus.driver.command;
