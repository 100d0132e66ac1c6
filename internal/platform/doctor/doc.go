// SPDX-License-Identifier: Apache-2.0

// Package doctor says what a session started here would use, and whether it works: the settings as they are understood,
// the dashboard, the key, what it permits, and which tools are shown for it.
//
// It is for a person whose session does not do what they want, and who can be told to run one command. So every fault has
// what to do about it beside it; one fault does not hide the others; and it ends soon, whatever the network does: a call
// takes 5 s at the most, all of them together 15 s.
//
// It writes nothing, removes nothing and asks nobody for anything; also not the file of a key that turns out dead, which a
// session would remove. It does call the dashboard with the key that is there, which counts as a use of it: a key that
// would lapse for want of use lives on.
//
// No secret is in what it says.
package doctor
