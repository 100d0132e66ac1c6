// SPDX-License-Identifier: Apache-2.0

// Package jq runs a jq expression of an agent's over the body of an answer.
//
// An expression sees the body and nothing else: no environment, no other input, no files, no modules, no output of its
// own. A run is bounded in time, in memory and in what it gives. Most of that is seen between two steps of the run. What
// could grow without end within one step, such as comparing or printing a value that holds itself many times over, is
// held to a size before it (see guard.go). A step that still does not end in time is left to itself, and its place with
// it, so that only a few can ever be.
//
// Numbers that an expression only hands on keep their digits, and integers of any size are computed with exactly.
package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// The limits of a run.
const (
	MaxInput  = 16 << 20 // bytes of a body
	MaxOutput = 16 << 20 // bytes of the results
	timeLimit = 2 * time.Second
	grace     = 500 * time.Millisecond // for a step to see that the time is over
	maxSource = 4000                   // characters of an expression
)

// Filter is a compiled expression. It is safe for concurrent use.
type Filter struct {
	code  *gojq.Code
	limit time.Duration
}

// Compile reads an expression. The error says what is wrong with it.
func Compile(source string) (f *Filter, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, errors.New("it cannot be compiled")
		}
	}()
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("it is empty")
	}
	if len([]rune(source)) > maxSource {
		return nil, fmt.Errorf("it is over %d characters", maxSource)
	}
	query, err := gojq.Parse(source)
	if err != nil {
		return nil, clean(err)
	}
	if err := guard(query); err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query, guards()...)
	if err != nil {
		return nil, clean(err)
	}
	return &Filter{code, timeLimit}, nil
}

// places bounds how many expressions run at once; large bodies, which take ten times their length, run one by one.
var (
	places = make(chan struct{}, 4)
	large  = make(chan struct{}, 1)
)

// largeInput is from where a body is large, in bytes.
const largeInput = 1 << 20

// Run runs the expression over one JSON value. One result is the answer, none is null, several are an array. The error
// says why there is no answer.
func (f *Filter) Run(ctx context.Context, body []byte) (json.RawMessage, error) {
	if len(body) > MaxInput {
		return nil, fmt.Errorf("the body is over %d bytes, which is the limit", MaxInput)
	}
	free, err := enter(ctx, len(body) > largeInput)
	if err != nil {
		return nil, err
	}
	value, err := decode(body) // in a time that the body's length bounds
	if err != nil {
		free()
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	type outcome struct {
		result json.RawMessage
		err    error
	}
	done := make(chan outcome, 1)
	go func() { // ends by itself: at a step after the time is over
		defer free()
		result, err := f.run(ctx, value)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(grace):
		return nil, why(ctx, ctx.Err())
	}
}

var errTime = fmt.Errorf("it took over %v", timeLimit)

// enter waits for a place, no longer than a run may take.
func enter(ctx context.Context, isLarge bool) (free func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	held := []chan struct{}{}
	free = func() {
		for _, place := range held {
			<-place
		}
	}
	wanted := []chan struct{}{places}
	if isLarge {
		wanted = []chan struct{}{large, places}
	}
	for _, place := range wanted {
		select {
		case place <- struct{}{}:
			held = append(held, place)
		case <-ctx.Done():
			free()
			return nil, errors.New("other expressions are running: try again, or read the body whole")
		}
	}
	return free, nil
}

func decode(body []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("the body is not JSON")
	}
	return value, nil
}

func (f *Filter) run(ctx context.Context, value any) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("it cannot be computed")
		}
	}()
	ctx, stop := watch(ctx)
	defer stop()
	var out bytes.Buffer
	results := 0
	for it := f.code.RunWithContext(ctx, value); ; results++ {
		v, ok := it.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			return nil, why(ctx, err)
		}
		if results > 0 {
			out.WriteByte(',')
		}
		if err := write(&out, v); err != nil {
			return nil, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, why(ctx, ctx.Err())
	case results == 0:
		return json.RawMessage("null"), nil
	case results == 1:
		return out.Bytes(), nil
	}
	return append(append([]byte{'['}, out.Bytes()...), ']'), nil
}

// write adds a result to out, as long as there is room.
func write(out *bytes.Buffer, v any) error {
	tooLong := fmt.Errorf("it gives more than %d bytes: narrow it", MaxOutput)
	size := &measure{nodes: MaxOutput, bytes: MaxOutput - out.Len()}
	if !size.fits(v) {
		return tooLong
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		return clean(err)
	}
	if out.Len()+len(text) > MaxOutput {
		return tooLong
	}
	out.Write(text)
	return nil
}

// why is the reason for which a run ended.
func why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, errMemory):
			return errMemory
		case errors.Is(cause, context.DeadlineExceeded):
			return errTime
		default:
			return cause
		}
	}
	if thrown, ok := err.(gojq.ValueError); ok && !(&measure{nodes: 1000, bytes: 1000}).fits(thrown.Value()) {
		return errors.New("it ended with an error of its own")
	}
	return clean(err)
}

// clean puts the library's words into ours.
func clean(err error) error {
	text := strings.TrimPrefix(err.Error(), "gojq: ")
	if parse, ok := errors.AsType[*gojq.ParseError](err); ok {
		if parse.Token == "" {
			return fmt.Errorf("it ends too early, after %d bytes", parse.Offset)
		}
		return fmt.Errorf("%q is not expected at byte %d", short(parse.Token), max(0, parse.Offset-len(parse.Token)))
	}
	return errors.New(short(text))
}

func short(text string) string {
	const length = 300
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "…"
	}
	return text
}
