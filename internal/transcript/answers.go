// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"cmp"
	"hash/maphash"
	"iter"
	"math"
)

// answers are what a session's answers cost, each once, in as little room as that takes: a log may be of nothing else.
type answers struct {
	list   list[answer]
	ids    [][]byte // one behind the other, in blocks
	models []string
	large  map[int32]Tokens // that have more than fits
}

type answer struct {
	tokens [6]uint32
	id     uint32 // where it begins in ids; it ends where that of the next begins, or with its block
	agent  int32
	model  int32 // in models
}

// noModel stands for one that the log does not name.
const noModel = "unknown"

const (
	maxID   = 1 << 10 // of the name of an answer. One that is longer is none.
	idBlock = 64 << 10
	maxIDs  = 1 << 32 / idBlock // blocks
)

func (a *answers) add(id []byte, model string, agent int32, t Tokens) int32 {
	last := len(a.ids) - 1
	if last < 0 || len(a.ids[last])+min(len(id), maxID) >= idBlock {
		a.ids = append(a.ids, nil)
		last++
	}
	if len(id) > maxID || len(a.ids) > maxIDs {
		id = nil
	}
	n := a.list.add(answer{id: uint32(last*idBlock + len(a.ids[last])), agent: agent, model: a.named(model)})
	if block := &a.ids[last]; *block == nil && last > 0 {
		*block = append(make([]byte, 0, idBlock), id...)
	} else {
		*block = append(*block, id...)
	}
	a.set(n, t)
	return n
}

// named is the number of a model, of which a session has few.
func (a *answers) named(model string) int32 {
	model = cmp.Or(model, noModel)
	for i, known := range a.models {
		if known == model {
			return int32(i)
		}
	}
	a.models = append(a.models, model)
	return int32(len(a.models) - 1)
}

func (a *answers) set(n int32, t Tokens) {
	delete(a.large, n)
	all := [...]int64{t.Input, t.Output, t.CacheRead, t.CacheCreation, t.CacheCreation5m, t.CacheCreation1h}
	to := a.list.at(n)
	for i, v := range all {
		if v > math.MaxUint32 {
			if a.large == nil {
				a.large = map[int32]Tokens{}
			}
			a.large[n] = t
		}
		to.tokens[i] = uint32(min(v, math.MaxUint32))
	}
}

func (a *answers) tokens(n int32) Tokens {
	if t, ok := a.large[n]; ok {
		return t
	}
	t := a.list.at(n).tokens
	return Tokens{int64(t[0]), int64(t[1]), int64(t[2]), int64(t[3]), int64(t[4]), int64(t[5])}
}

func (a *answers) id(n int32) []byte {
	from := a.list.at(n).id
	block := a.ids[from/idBlock]
	to := uint32(len(block))
	if int(n)+1 < a.list.n {
		if next := a.list.at(n + 1).id; next/idBlock == from/idBlock {
			to = next % idBlock
		}
	}
	return block[from%idBlock : to]
}

func (a *answers) all() iter.Seq2[int32, Answer] {
	return func(yield func(int32, Answer) bool) {
		for n := range int32(a.list.n) {
			c := a.list.at(n)
			if !yield(n, Answer{Model: a.models[c.model], Agent: c.agent, Tokens: a.tokens(n)}) {
				return
			}
		}
	}
}

// Answer adds what an answer cost that was not there before, and is its number.
func (b *Builder) Answer(id []byte, model string, agent int32, t Tokens) int32 {
	return b.s.answers.add(id, model, agent, t.sound())
}

// AnswerID is what the answer of a number is called. It holds until the next answer is added.
func (b *Builder) AnswerID(n int32) []byte { return b.s.answers.id(n) }

// AnswerAgain takes another count of the answer of a number. Logs repeat it, as a whole or as far as it had come: the one
// with the most output counts.
func (b *Builder) AnswerAgain(n int32, model string, agent int32, t Tokens) {
	t = t.sound()
	a := b.s.answers.list.at(n)
	if agent == Main {
		a.agent = Main // a sub-agent that replays its parent's answers did not pay for them
	}
	if known := b.s.answers.tokens(n); t.Output > known.Output || t.Output == known.Output && t.All() > known.All() {
		b.s.answers.set(n, t)
		a.model = b.s.answers.named(model)
	}
}

// Cost adds what an answer cost, or another count of it. An answer without a name counts by itself.
func (b *Builder) Cost(id []byte, model string, agent int32, t Tokens) {
	if len(id) == 0 || len(id) > maxID {
		b.Answer(nil, model, agent, t)
		return
	}
	// Two names of one hash are two answers: the second is looked for under another.
	for h := maphash.Bytes(b.seed, id) | 1; ; h += 2 {
		n, seen := b.costs.Get(h)
		switch {
		case !seen:
			b.costs.Set(h, b.Answer(id, model, agent, t))
			return
		case string(b.AnswerID(n)) == string(id):
			b.AnswerAgain(n, model, agent, t)
			return
		}
	}
}

// A list grows without being copied, which would need room for what it was beside what it is.
type list[T any] struct {
	blocks [][]T
	n      int
}

const blockLen = 4096

func (l *list[T]) add(v T) int32 {
	if l.n%blockLen == 0 {
		var block []T
		if l.n > 0 { // a short list is short
			block = make([]T, 0, blockLen)
		}
		l.blocks = append(l.blocks, block)
	}
	last := &l.blocks[len(l.blocks)-1]
	*last = append(*last, v)
	l.n++
	return int32(l.n - 1)
}

func (l *list[T]) at(n int32) *T { return &l.blocks[n/blockLen][n%blockLen] }
