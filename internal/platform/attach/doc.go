// SPDX-License-Identifier: Apache-2.0

// Package attach uploads a file of this machine to the dashboard, so that its bytes never pass through an agent's
// context: to a card, in the place of one that a card has, or as an image for a text to show.
//
// An agent names the file, and what it names may be meant to do harm. So a file is refused, by name, if it is no plain
// file, if it holds what opens doors (forbidden.go), or if its bytes are not what its name says (sniff.go). It is looked
// at through the same handle that it is sent from, so what is swapped in between is not sent.
//
// The bytes go out as they are read, in little memory, for as long as something moves. What the network loses before an
// answer is sent once more if the dashboard can tell that it comes again. A file that changes while it is read breaks the
// upload off, and so does one that holds the session's key: the dashboard keeps nothing of what breaks off.
package attach
