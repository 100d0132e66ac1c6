// SPDX-License-Identifier: Apache-2.0

package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAppend(t *testing.T) {
	for _, tt := range []struct {
		name  string
		frame Frame
		want  string
	}{
		{"all of it", Frame{ID: "41", Event: "issue.edited", Data: []byte(`{"a":1}`)}, "id: 41\nevent: issue.edited\ndata: {\"a\":1}\n\n"},
		{"no id", Frame{Event: "end", Data: []byte("x")}, "event: end\ndata: x\n\n"},
		{"data alone", Frame{Data: []byte("x")}, "data: x\n\n"},
		{"nothing", Frame{}, "data: \n\n"},
		{"lines", Frame{Data: []byte("a\nb\r\nc\rd")}, "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"empty lines", Frame{Data: []byte("\n\n\r\r\n")}, "data: \ndata: \ndata: \ndata: \ndata: \n\n"},
		{"a forged frame in the id", Frame{ID: "1\n\ndata: x\r\x00", Data: []byte("y")}, "id: 1data: x\ndata: y\n\n"},
		{"a forged frame in the event", Frame{Event: "e\r\ndata: x", Data: []byte("y")}, "event: edata: x\ndata: y\n\n"},
	} {
		if got := string(tt.frame.Append([]byte("<"))); got != "<"+tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	if got := string(AppendRetry(AppendComment(nil, "a\nb"), 2*time.Second)); got != ": ab\n\nretry: 2000\n\n" {
		t.Errorf("a comment and a time: %q", got)
	}
}

func readAll(r *Reader) (frames []Frame, err error) {
	for {
		f, err := r.Next()
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
	}
}

func TestReader(t *testing.T) {
	for _, tt := range []struct {
		name, stream string
		want         []Frame
		lastID       string
		retry        time.Duration
	}{
		{name: "a frame", stream: "id: 1\nevent: e\ndata: x\n\n", want: []Frame{{"1", "e", []byte("x")}}, lastID: "1"},
		{name: "any order", stream: "data: x\nevent: e\nid: 1\n\n", want: []Frame{{"1", "e", []byte("x")}}, lastID: "1"},
		{name: "CRLF", stream: "id: 1\r\ndata: x\r\n\r\ndata: y\r\n\r\n", want: []Frame{{"1", "", []byte("x")}, {"", "", []byte("y")}}, lastID: "1"},
		{name: "CR", stream: "id: 1\rdata: x\r\rdata: y\r\r", want: []Frame{{"1", "", []byte("x")}, {"", "", []byte("y")}}, lastID: "1"},
		{name: "mixed", stream: "data: x\r\n\ndata: y\r\r\n", want: []Frame{{"", "", []byte("x")}, {"", "", []byte("y")}}},
		{name: "a byte order mark", stream: "\ufeffdata: x\n\n", want: []Frame{{"", "", []byte("x")}}},
		{name: "a mark further on is text", stream: "\n\ufeffdata: x\n\ndata: y\n\n", want: []Frame{{"", "", []byte("y")}}},
		{name: "lines of data", stream: "data: a\ndata:\ndata:  b\n\n", want: []Frame{{"", "", []byte("a\n\n b")}}},
		{name: "data without a colon", stream: "data\n\n", want: []Frame{{"", "", nil}}},
		{name: "comments", stream: ": hello\n\n:\ndata: x\n: y\n\n", want: []Frame{{"", "", []byte("x")}}},
		{name: "no data is no frame", stream: "id: 1\nevent: e\n\ndata: x\n\n", want: []Frame{{"", "", []byte("x")}}, lastID: "1"},
		{name: "an unknown field", stream: "what: x\ndata: y\n\n", want: []Frame{{"", "", []byte("y")}}},
		{name: "a frame that is cut", stream: "id: 1\ndata: x\n\nid: 2\ndata: y\n", want: []Frame{{"1", "", []byte("x")}}, lastID: "1"},
		{name: "a line that is cut", stream: "id: 1\ndata: x\n\nid: 2", want: []Frame{{"1", "", []byte("x")}}, lastID: "1"},
		{name: "an id with NUL", stream: "id: 1\ndata: x\n\nid: 2\x00\ndata: y\n\n", want: []Frame{{"1", "", []byte("x")}, {"", "", []byte("y")}}, lastID: "1"},
		{name: "an id that is taken back", stream: "id: 1\ndata: x\n\nid\ndata: y\n\n", want: []Frame{{"1", "", []byte("x")}, {"", "", []byte("y")}}},
		{name: "retry", stream: "retry: 2000\n\nretry: 1x\n\nretry: -1\n\nretry:\n\n", retry: 2 * time.Second},
		{name: "retry that is no time", stream: "retry: 99999999999999999999\n\n"},
		{name: "nothing", stream: ""},
	} {
		for way, body := range map[string]io.Reader{
			"at once": strings.NewReader(tt.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.stream)),
		} {
			r := NewReader(body)
			got, err := readAll(r)
			if diff := cmp.Diff(tt.want, got); err != io.EOF || diff != "" || r.LastID() != tt.lastID || r.Retry() != tt.retry {
				t.Errorf("%s, %s: %v, last id %q, retry %v (-want +got):\n%s", tt.name, way, err, r.LastID(), r.Retry(), diff)
			}
		}
	}
}

// A frame is told as soon as it is whole, though its line end may not be.
func TestReaderDoesNotWait(t *testing.T) {
	in, out := io.Pipe()
	go func() { _, _ = out.Write([]byte("data: x\r\n\r")) }()
	r := NewReader(in)
	if f, err := r.Next(); err != nil || string(f.Data) != "x" {
		t.Errorf("%+v, %v", f, err)
	}
	out.Close()
}

func TestReaderIsBounded(t *testing.T) {
	line := strings.Repeat("x", LineMost-10)
	for name, body := range map[string]io.Reader{
		"a line":             strings.NewReader("data: " + line + line),
		"a line without end": io.MultiReader(strings.NewReader("data: "), forever{}),
		"a comment":          io.MultiReader(strings.NewReader(": "), forever{}),
		"a frame":            strings.NewReader(strings.Repeat("data: "+line+"\n", 5)),
	} {
		if _, err := readAll(NewReader(body)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := readAll(NewReader(strings.NewReader("data: " + line + "\n\n"))); err != io.EOF || len(got) != 1 || len(got[0].Data) != len(line) {
		t.Errorf("a line as long as may be: %d frames, %v", len(got), err)
	}
	broken := errors.New("broken")
	if _, err := readAll(NewReader(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a broken connection: %v", err)
	}
}

type forever struct{}

func (forever) Read(b []byte) (int, error) { return copy(b, "xxxxxxxxxxxxxxxx"), nil }

// What is written is read again: the frame, its line ends as \n, and no other frame, whatever stands in it.
func FuzzRoundTrip(f *testing.F) {
	f.Add("41", "issue.edited", []byte(`{"a":1}`))
	f.Add("", "", []byte("a\r\nb\rc\n"))
	f.Add("1\n", "\x00", []byte("\r\n\r0\n\n"))
	f.Add("1", "e", []byte("\ufeffx"))
	f.Fuzz(func(t *testing.T, id, event string, data []byte) {
		stream := AppendComment(nil, event)
		stream = Frame{ID: id, Event: event, Data: data}.Append(stream)
		stream = Frame{Event: "next", Data: []byte("y")}.Append(stream)
		if len(stream) > LineMost {
			return
		}
		text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\r", "\n")
		want := []Frame{{oneLine.Replace(id), oneLine.Replace(event), []byte(text)}, {"", "next", []byte("y")}}
		if text == "" {
			want[0].Data = nil
		}
		for way, body := range map[string]io.Reader{"at once": bytes.NewReader(stream), "half": iotest.HalfReader(bytes.NewReader(stream))} {
			got, err := readAll(NewReader(body))
			if diff := cmp.Diff(want, got); err != io.EOF || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", way, err, diff)
			}
		}
	})
}

// The reader takes anything without a fault, and reads the same however it is cut into pieces.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"id: 1\nevent: e\ndata: x\n\n", "\ufeffdata\r\r\n\n", "retry: 1\n:\n\n", "data: a\r\ndata: b\r\n\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := readAll(NewReader(bytes.NewReader(stream)))
		pieces, again := readAll(NewReader(iotest.OneByteReader(bytes.NewReader(stream))))
		if diff := cmp.Diff(whole, pieces); (err == io.EOF) != (again == io.EOF) || diff != "" {
			t.Errorf("%v, %v\n%s", err, again, diff)
		}
		for _, f := range whole {
			if strings.ContainsAny(f.ID+f.Event, "\r\n") || bytes.ContainsRune(f.Data, '\r') {
				t.Errorf("a line end in %+v", f)
			}
		}
	})
}
