// SPDX-License-Identifier: Apache-2.0

package jsonl

import (
	"bytes"
	"slices"
	"unicode"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// A Piece is a whole record that a damaged line holds.
type Piece struct {
	From, To int      // where it stands in the line, if it stands there in one piece
	Joined   []byte   // what stands in the line in several pieces, put together; else nil
	Parts    [][2]int // where these begin and end
}

// Recover finds the whole records of a line that is not one: writers that wrote at once leave the records of all of them
// in it, one behind the other or one inside the other, and a crash leaves runs of NUL. record tells whether an object is
// a record; edge, whether something that is surely an end stands before it, so that it is no part of another record.
func Recover(line []byte, record func(object []byte, edge bool) bool) []Piece {
	r := recovery{line: line, record: record, budget: 16*len(line) + chunk}
	r.run()
	return r.pieces
}

type recovery struct {
	line   []byte
	record func([]byte, bool) bool
	budget int // bytes to scan at most: what nests could be scanned once a level
	pieces []Piece
	rest   [][2]int // what stands around the pieces
	scan   jsonscan.Scanner
}

var begin = []byte(`{"`)

func (r *recovery) run() {
	at, edge := 0, true
	from := 0 // where the rest begins
	for r.budget > 0 {
		i := bytes.Index(r.line[at:], begin)
		if i < 0 {
			break
		}
		between, begins := bytes.CutSuffix(r.line[at:at+i], mark)
		if nul := bytes.LastIndexByte(between, 0); begins {
			edge = true
		} else if nul >= 0 {
			edge = len(bytes.Trim(between[nul:], "\x00 \r\t")) == 0
		} else if len(bytes.TrimSpace(between)) > 0 {
			edge = false
		}
		at += i
		end := r.object(r.line[at:])
		if end > 0 && r.record(r.line[at:at+end], edge) {
			r.leave(from, at-i+len(between))
			r.pieces = append(r.pieces, Piece{From: at, To: at + end})
			at += end
			from, edge = at, true
			continue
		}
		at, edge = at+1, false
	}
	r.leave(from, len(r.line))
	r.join()
}

// object is how long the object is that b begins with, 0 if it is not whole.
func (r *recovery) object(b []byte) int {
	b = b[:min(len(b), r.budget)]
	r.scan.Reset(b)
	r.scan.Skip()
	r.budget -= r.scan.Pos() + 1
	if r.scan.Err() != nil {
		return 0
	}
	return r.scan.Pos()
}

// leave keeps what stands around the pieces, without the runs of NUL at its ends and in it.
func (r *recovery) leave(from, to int) {
	for from < to {
		if r.line[from] == 0 {
			from++
			continue
		}
		end := to
		if i := bytes.IndexByte(r.line[from:to], 0); i >= 0 {
			end = from + i
		}
		r.rest = append(r.rest, [2]int{from, end})
		from = end
	}
}

// join tries whether the rest is a record that something was written into, or several, one inside the other. What stands
// around comes before what stands inside it.
func (r *recovery) join() {
	if len(r.rest) < 2 || r.budget <= 0 {
		return
	}
	var all []byte
	for _, part := range r.rest {
		all = append(all, r.line[part[0]:part[1]]...)
	}
	r.budget -= len(all)
	lead := len(all) - len(bytes.TrimLeftFunc(all, unicode.IsSpace))
	all = bytes.TrimSpace(all)
	var around []Piece
	if bytes.HasPrefix(all, begin) && r.object(all) == len(all) && r.record(all, true) {
		around = []Piece{{Joined: all, Parts: r.parts(lead, lead+len(all))}}
	} else {
		inner := recovery{line: all, record: r.record, budget: r.budget}
		inner.run()
		r.budget = inner.budget
		for _, p := range inner.pieces {
			if p.Joined == nil {
				p = Piece{Joined: all[p.From:p.To], Parts: r.parts(lead+p.From, lead+p.To)}
			} else {
				var parts [][2]int
				for _, part := range p.Parts {
					parts = append(parts, r.parts(lead+part[0], lead+part[1])...)
				}
				p.Parts = parts
			}
			around = append(around, p)
		}
	}
	at := 0
	for at < len(r.pieces) && r.pieces[at].From < r.rest[0][0] {
		at++
	}
	r.pieces = slices.Insert(r.pieces, at, around...)
}

// parts is where in the line that stands which stands from one place to another in the rest, put together.
func (r *recovery) parts(from, to int) (parts [][2]int) {
	at := 0
	for _, part := range r.rest {
		n := part[1] - part[0]
		if lo, hi := max(from-at, 0), min(to-at, n); lo < hi {
			parts = append(parts, [2]int{part[0] + lo, part[0] + hi})
		}
		at += n
	}
	return parts
}
