// SPDX-License-Identifier: Apache-2.0

package gemini_test

import (
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript/gemini"
	"github.com/fiftyarms/platform/internal/transcript/transcripttest"
)

func FuzzRead(f *testing.F) {
	messages := []string{user("u1", 1, "one"),
		answer("g1", 2, "two", `,"thoughts":[{"subject":"s"}],"tokens":{"input":3}`+calls(call("c1", "replace", "success", `"file_path":"p","old_string":"a","new_string":"b"`,
			`,"resultDisplay":{"fileDiff":"d"}`+output("c1", "output", "x")))),
		line("g3", "gemini", 3, `"content":[{"text":"t","thought":true},{"functionCall":{"id":"c2","name":"ls","args":{}}}]`),
		line("u4", "user", 4, `"content":[{"functionResponse":{"id":"c2","response":{"n":[1]}}},{"inlineData":{}}]`)}
	whole := strings.Join(append([]string{header}, messages...), "\n")
	transcripttest.FuzzRead(f, gemini.Format{}, "s.jsonl",
		[]byte(whole),
		[]byte(whole+"\n{\"$rewindTo\":\"g1\"}\n"+messages[1]),
		[]byte(whole[:len(whole)/2]),
		[]byte(strings.ReplaceAll(whole, "\n", "")),
		[]byte(header+"\n{\"$set\":{\"messages\":["+strings.Join(messages, ",")+"]}}"),
		[]byte(document(messages...)),
		[]byte(strings.Replace(document(messages...), "two", "t\x01o", 1)),
	)
}
