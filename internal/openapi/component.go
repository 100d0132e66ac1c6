// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"hash/fnv"
	"strings"
	"sync"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// componentKey names a component of a slice.
type componentKey struct{ section, name string }

// piece is a component as a slice writes it.
type piece struct {
	json []byte
	refs []componentKey
}

// pieceCache keeps rewritten components: most slices share most of theirs.
type pieceCache struct {
	mu    sync.Mutex
	odd   map[componentKey]oddComponent
	known map[string]*piece
}

// oddComponent is what a reference points at that is no component of a plain
// name: a part of another one, something under paths, nothing.
type oddComponent struct {
	place rawjson.Span
	ref   string
}

// componentFor gives the target of a reference its name in slices. A target
// that is no component of that section becomes one, named after its pointer.
func (d *Document) componentFor(section, ref string) componentKey {
	if name, ok := strings.CutPrefix(ref, "#/components/"+section+"/"); ok && plainName(name) {
		return componentKey{section, name}
	}
	return d.hoist(section, ref, d.resolve(ref))
}

// hoist makes a place of the document a component of slices. ref says what it
// is; its name tells it from all others.
func (d *Document) hoist(section, ref string, place rawjson.Span) componentKey {
	label := strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && alnum(byte(r)) || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.TrimPrefix(ref, "#/components/"+section+"/")), "_.")
	h := fnv.New32a()
	h.Write([]byte(ref))
	key := componentKey{section, fmt.Sprintf("%s_%08x", label[max(0, len(label)-60):], h.Sum32())}
	d.pieces.mu.Lock()
	defer d.pieces.mu.Unlock()
	if d.pieces.odd == nil {
		d.pieces.odd = map[componentKey]oddComponent{}
	}
	d.pieces.odd[key] = oddComponent{place, ref}
	return key
}

// plainName tells names that OpenAPI allows for components.
func plainName(s string) bool {
	for _, c := range []byte(s) {
		if !alnum(c) && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return s != ""
}

// component finds what a key stands for; ref is how the document writes it.
func (d *Document) component(key componentKey) (place rawjson.Span, ref string) {
	if sp := d.components()[key.section][key.name]; sp.OK() && plainName(key.name) {
		return sp, "#/components/" + key.section + "/" + key.name
	}
	d.pieces.mu.Lock()
	defer d.pieces.mu.Unlock()
	if odd, ok := d.pieces.odd[key]; ok {
		return odd.place, odd.ref
	}
	return rawjson.Span{}, "#/components/" + key.section + "/" + key.name
}

// piece rewrites a component, once for each way of trimming.
func (d *Document) piece(key componentKey, t trims, extensions []string) *piece {
	id := fmt.Sprintf("%d %s/%s %s", t, key.section, key.name, strings.Join(extensions, " "))
	d.pieces.mu.Lock()
	p := d.pieces.known[id]
	d.pieces.mu.Unlock()
	if p != nil {
		return p
	}
	place, ref := d.component(key)
	if !place.OK() {
		p = &piece{json: missingStub(key, ref)}
	} else {
		w := &rewriter{d: d, trims: t, extensions: extensions, maxDepth: -1}
		p = &piece{json: w.value(nil, place, sectionKind[key.section])}
		p.refs = w.refs
	}
	d.pieces.mu.Lock()
	defer d.pieces.mu.Unlock()
	if d.pieces.known == nil {
		d.pieces.known = map[string]*piece{}
	}
	d.pieces.known[id] = p
	return p
}

// cutStub stands for a component that did not fit. It keeps the type, so that
// what remains of the document stays true.
func (d *Document) cutStub(section string, place rawjson.Span, entry string) []byte {
	text := fmt.Sprintf("cut to fit; ask for %q in endpoints", entry)
	out := []byte(`{`)
	switch section {
	case "schemas":
		s := d.src
		if t := s.Get(place, "type"); s.Kind(t) == '"' || s.Kind(t) == '[' {
			out = append(s.Compact(append(out, `"type":`...), t), ',')
			if strings.Contains(string(s[t.Start:t.End]), `"array"`) {
				out = append(out, `"items":{},`...)
			}
		}
		if s.IsTrue(s.Get(place, "nullable")) {
			out = append(out, `"nullable":true,`...)
		}
	case "headers":
		out = append(out, `"schema":{},`...)
	}
	return append(rawjson.Quote(append(out, `"description":`...), text), '}')
}

// missingStub stands for a component that the document refers to, but lacks.
func missingStub(key componentKey, ref string) []byte {
	text := "missing: " + ref + " is not in the document"
	if !strings.HasPrefix(ref, "#") {
		text = "not here: " + ref + " is another document"
	}
	quoted := string(rawjson.Quote(nil, text))
	switch key.section {
	case "parameters":
		return []byte(`{"name":` + string(rawjson.Quote(nil, key.name)) + `,"in":"query","schema":{},"description":` + quoted + `}`)
	case "requestBodies":
		return []byte(`{"content":{},"description":` + quoted + `}`)
	case "headers":
		return []byte(`{"schema":{},"description":` + quoted + `}`)
	case "examples":
		return []byte(`{"summary":` + quoted + `}`)
	case "links":
		return []byte(`{"operationId":"missing","description":` + quoted + `}`)
	case "callbacks":
		return []byte(`{}`)
	}
	return []byte(`{"description":` + quoted + `}`)
}

func alnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
