// SPDX-License-Identifier: Apache-2.0

package claude

import "slices"

// A class says what a record of the main file is to the tree.
type class uint8

const (
	other class = iota // the client's own: hooks, attachments, progress
	prompted
	answered
	resulted
)

// A node is a record of the main file: records name the one that they follow. Going back to an earlier prompt makes a
// branch, so do answers that are tried again; the file keeps all branches.
type node struct {
	parent int32
	answer uint32 // hash of the message's id
	class  class
}

const nowhere = int32(-1)

// abandoned tells which records are on branches that the person, or the client, gave up.
//
// The last record of the conversation is on the branch that counts. Elsewhere a record is given up only where the file
// shows it: a prompt that was answered, in whose place another was given; an answer without results, in whose place
// another was given. Anything else that is off the way to the last record is there for the client's own reasons (tools
// that ran at once, hooks, a lost parent, a circle) and stays.
//
// forks are records that were lost and that several follow. Each takes its place in the tree, behind what stands before
// the first of these.
func abandoned(nodes []node, forks map[uint64][]int32) []bool {
	t := tree{real: len(nodes), nodes: nodes}
	for _, children := range forks {
		for _, n := range children {
			t.nodes[n].parent = int32(len(t.nodes))
		}
		t.nodes = append(t.nodes, node{parent: slices.Min(children) - 1})
	}
	t.next, t.onSpine = make([]int32, len(t.nodes)), make([]bool, len(t.nodes))
	t.walkSpine()
	return t.branches()
}

type tree struct {
	nodes   []node // those that were lost come last
	real    int    // how many were not
	onSpine []bool
	next    []int32 // of a record on the spine: the first of the conversation after it
}

// walkSpine goes back from the last record of the conversation. Where the way is lost it goes on with the record before,
// as the file has it.
func (t *tree) walkSpine() {
	at := int32(t.real - 1)
	for at >= 0 && t.nodes[at].class == other {
		at--
	}
	for next := nowhere; at >= 0 && !t.onSpine[at]; {
		t.onSpine[at], t.next[at] = true, next
		if t.nodes[at].class != other {
			next = at
		}
		if up := t.nodes[at].parent; up != nowhere && !t.onSpine[up] {
			at = up
			continue
		}
		if int(at) >= t.real {
			at = t.nodes[at].parent
		} else {
			at--
		}
		for at >= 0 && (t.onSpine[at] || t.nodes[at].class == other) {
			at--
		}
	}
}

// branches finds the heads of what was given up, and all that follows them.
func (t *tree) branches() []bool {
	worked := t.below(answered)
	ran := t.below(resulted)
	gone := make([]bool, len(t.nodes)) // none of those that were lost
	left := false
	for i, n := range t.nodes[:t.real] {
		if t.onSpine[i] || n.class != prompted && n.class != answered {
			continue
		}
		fork := t.nodes[i].parent
		for steps := 0; fork != nowhere && !t.onSpine[fork] && t.nodes[fork].class == other && steps < len(t.nodes); steps++ {
			fork = t.nodes[fork].parent
		}
		if fork == nowhere || !t.onSpine[fork] || t.next[fork] == nowhere {
			continue
		}
		instead := t.nodes[t.next[fork]]
		switch {
		case n.class == prompted && instead.class == prompted:
			gone[i] = worked[i]
		case n.class == answered && instead.class == answered && t.nodes[fork].class != answered:
			gone[i] = n.answer != instead.answer && !ran[i]
		}
		left = left || gone[i]
	}
	if !left {
		return nil
	}
	for i := range t.real { // parents stand before their children, but for damage
		if up := t.nodes[i].parent; up != nowhere && gone[up] && !t.onSpine[i] {
			gone[i] = true
		}
	}
	return gone
}

// below tells of each record off the spine whether a record of a class follows it, or it is one.
func (t *tree) below(c class) []bool {
	has := make([]bool, len(t.nodes))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if t.onSpine[i] {
			continue
		}
		has[i] = has[i] || t.nodes[i].class == c
		if up := t.nodes[i].parent; up != nowhere && has[i] {
			has[up] = true
		}
	}
	return has
}
