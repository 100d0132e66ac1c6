// SPDX-License-Identifier: Apache-2.0

// Package sse writes and reads server-sent events, as the HTML standard has them: the server appends frames to what it
// is about to send, a client takes them off a [Reader]. It knows nothing of what the frames say.
package sse

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// MediaType is that of a stream.
const MediaType = "text/event-stream"

// A Frame is one event of a stream.
type Frame struct {
	ID    string // where a stream that is opened again goes on; "" leaves that as it was
	Event string // the kind of event; "" is message
	Data  []byte // the reader gets each line end as \n; a frame without any data is not told
}

// Append appends the frame as it is sent. Line ends in the data begin new data lines; in ID and Event, which cannot
// hold any, they are left out, and so is NUL.
func (f Frame) Append(to []byte) []byte {
	if f.ID != "" {
		to = appendField(to, "id", f.ID)
	}
	if f.Event != "" {
		to = appendField(to, "event", f.Event)
	}
	for rest := f.Data; ; {
		to = append(to, "data: "...)
		end := bytes.IndexAny(rest, "\r\n")
		if end < 0 {
			to = append(to, rest...)
			return append(to, "\n\n"...)
		}
		to = append(append(to, rest[:end]...), '\n')
		width := 1
		if bytes.HasPrefix(rest[end:], []byte("\r\n")) {
			width = 2
		}
		rest = rest[end+width:]
	}
}

var oneLine = strings.NewReplacer("\r", "", "\n", "", "\x00", "")

func appendField(to []byte, name, value string) []byte {
	to = append(append(to, name...), ": "...)
	return append(append(to, oneLine.Replace(value)...), '\n')
}

// AppendComment appends a line that readers skip. It keeps a connection from looking idle.
func AppendComment(to []byte, text string) []byte {
	to = append(append(to, ": "...), oneLine.Replace(text)...)
	return append(to, "\n\n"...)
}

// AppendRetry appends how long a reader should wait before it opens a stream again that was cut off.
func AppendRetry(to []byte, wait time.Duration) []byte {
	to = strconv.AppendInt(append(to, "retry: "...), wait.Milliseconds(), 10)
	return append(to, "\n\n"...)
}
