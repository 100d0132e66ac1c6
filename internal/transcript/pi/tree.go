// SPDX-License-Identifier: Apache-2.0

package pi

// A node is an entry: entries name the one that they follow. Going back to an earlier one makes a branch, and the file
// keeps all of them.
type node struct {
	id, parent uint64 // hashes; 0 for none
}

// abandoned tells which entries are on other branches than the last one: it is the client's own rule that the last
// entry of the file is where the session stands. nil means that there is one branch.
//
// Where the way back is lost, since a line was damaged, it goes on with the entry before: rather is a branch too much
// shown than what was said left out.
func abandoned(nodes []node) []bool {
	index := make(map[uint64]int, len(nodes))
	for i, n := range nodes {
		index[n.id] = i
	}
	on := make([]bool, len(nodes))
	left := len(nodes)
	for at := len(nodes) - 1; at >= 0 && !on[at]; {
		on[at] = true
		left--
		up := nodes[at].parent
		if up == 0 {
			break
		}
		if p, ok := index[up]; ok && p != at && !on[p] {
			at = p
			continue
		}
		for at--; at >= 0 && on[at]; at-- {
		}
	}
	if left == 0 {
		return nil
	}
	gone := make([]bool, len(nodes))
	for i := range gone {
		gone[i] = !on[i]
	}
	return gone
}
