// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
)

// many is a document of n operations, of about 400 bytes each.
func many(n int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Many","version":"1"},"paths":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"/repos/{owner}/{repo}/things%d/{id}/parts": {"get": {"operationId": "op%d", "summary": "Thing %d.",
			"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
			"responses": {"200": {"description": "%s"}}}}`, i, i, i, strings.Repeat("text ", 30))
	}
	b.WriteString(`}}`)
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	data := []byte(many(250))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	d := load(b, many(1223))
	d.Match("GET", "/")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := d.Match("GET", "/repos/o/r/things777/5/parts"); !ok {
			b.Fatal("no match")
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	d := load(b, many(1223))
	b.ReportAllocs()
	for b.Loop() {
		d.Nearest("GET /repos/o/r/thing777/5/part", 3)
	}
}

func BenchmarkCheck(b *testing.B) {
	d := board(b)
	create, list := operation(b, d, "createIssue"), operation(b, d, "listIssues")
	body := Request{Body: []byte(`{"title":"Make it work","type":"Bug","priority":3,"labels":["a","b"],"due":"2026-01-02T03:04:05Z"}`)}
	query := Request{Query: url.Values{"limit": {"5"}, "status": {"ToDo", "Done"}}}
	b.Run("body", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if got := create.Check(body, Strict); len(got) != 0 {
				b.Fatal(got)
			}
		}
	})
	b.Run("query", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if got := list.Check(query, Strict); len(got) != 0 {
				b.Fatal(got)
			}
		}
	})
}

func BenchmarkFirstCheck(b *testing.B) {
	data, err := os.ReadFile("testdata/board.json")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := Load(data)
		if err != nil {
			b.Fatal(err)
		}
		op, _ := d.ByID("createIssue")
		op.Check(Request{Body: []byte(`{}`)}, Strict)
	}
}

func BenchmarkSlice(b *testing.B) {
	d := load(b, deep(30))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Slice([]string{"GET /x"}, SliceOptions{Budget: 1200}); err != nil {
			b.Fatal(err)
		}
	}
}
