// SPDX-License-Identifier: Apache-2.0

/** Images of remote publications, each received from one source or merged from several. */
package io.verbus.driver.image;
