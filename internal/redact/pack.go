// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bufio"
	_ "embed"
	"fmt"
	"strings"

	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/shape"
	"github.com/fiftyarms/platform/internal/redact/trigger"
)

//go:embed rules/seed.txt
var seedRows string

//go:embed rules/shapes.txt
var shapeRows string

//go:embed rules/named.txt
var namedRows string

// A rule looks at a place of a text where its trigger stands.
type rule func(f *finder, p place, at int)

// A pack is all rules, by the words that trigger them.
type pack struct {
	ids     []string // in order
	order   map[string]int
	list    []trigger.Word
	index   map[trigger.Word]int
	words   *trigger.Set
	rules   [][]rule     // by word
	looks   []uint8      // by word: bits of look
	forms   [][]form     // by word: what looks may see
	vendors map[int]bool // the words that are of vendors

	walks int // how many rules walk

	field, home                                          int
	privateKey, bearer, basic, assigned, url, cookie, up int
	named                                                map[string][]namedRow
}

// What walks beside shapes.
const (
	walksValue = iota
	walksCookies
	walksSecret
	walksToken
	walksURL
	walksOfShapes
)

type form struct {
	*shape.Shape
	anywhere bool
	walk     int // of the finder's
}

type namedRow struct {
	rule  int
	shape *shape.Shape
}

// newPack reads the rows. The seed's rules come first, in its order.
func newPack(homePaths bool) (*pack, error) {
	p := &pack{order: map[string]int{}, index: map[trigger.Word]int{}, named: map[string][]namedRow{}, vendors: map[int]bool{}}
	p.field = p.id("secret_field_name")
	for _, id := range []string{"aws_access_key", "private_key", "github_token", "anthropic_key", "openai_key", "slack_token", "jwt", "bearer_token", "home_path", "assigned_secret"} {
		p.id(id)
	}
	p.privateKey, p.bearer, p.home, p.assigned = p.order["private_key"], p.order["bearer_token"], p.order["home_path"], p.order["assigned_secret"]
	p.basic, p.url, p.cookie, p.up = p.id("basic_header"), p.id("url_credentials"), p.id("cookie"), p.id("command_line_credentials")
	p.walks = walksOfShapes
	for _, rows := range []string{seedRows, shapeRows} {
		if err := eachRow(rows, func(id, rest string) error { return p.shape(id, rest) }); err != nil {
			return nil, err
		}
	}
	if err := eachRow(namedRows, p.namedRow); err != nil {
		return nil, err
	}
	p.builtin(homePaths)
	p.words = trigger.New(p.list)
	return p, nil
}

func eachRow(rows string, row func(id, rest string) error) error {
	lines := bufio.NewScanner(strings.NewReader(rows))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		if err := row(id, strings.TrimSpace(rest)); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
}

// id is a rule's place in the order.
func (p *pack) id(name string) int {
	n, known := p.order[name]
	if !known {
		n = len(p.ids)
		p.ids = append(p.ids, name)
		p.order[name] = n
	}
	return n
}

func (p *pack) on(word trigger.Word, l look, r rule) {
	i, known := p.index[word]
	if !known {
		i = len(p.list)
		p.index[word] = i
		p.list = append(p.list, word)
		p.rules = append(p.rules, nil)
		p.looks = append(p.looks, 0)
		p.forms = append(p.forms, nil)
	}
	p.rules[i] = append(p.rules[i], r)
	p.looks[i] |= 1 << l
}

func (p *pack) shape(id, expression string) error {
	id, anywhere := strings.CutSuffix(id, "!")
	s, err := shape.Compile(expression)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	words, anyCase := s.Triggers()
	if len(words) == 0 {
		return fmt.Errorf("%s: %s begins with no literal", id, expression)
	}
	n := p.id(id)
	of := form{s, anywhere, p.walks}
	p.walks++
	for _, word := range words {
		if len(word) < trigger.MinWord {
			return fmt.Errorf("%s: %s may begin with %q, which is too short", id, expression, word)
		}
		key := trigger.Word{Text: word, AnyCase: anyCase}
		if len(word) == trigger.MinWord {
			key.Next = s.Next()
		}
		p.on(key, shaped, func(f *finder, pl place, at int) { f.shaped(pl, at, of, n) })
		i := p.index[key]
		p.forms[i] = append(p.forms[i], of)
	}
	return nil
}

func (p *pack) namedRow(id, rest string) error {
	words, expression, _ := strings.Cut(rest, " ")
	s, err := shape.Compile(strings.TrimSpace(expression))
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	row := namedRow{p.id(id), s}
	for word := range strings.SplitSeq(words, ",") {
		word = strings.ToLower(word)
		if len(p.named[word]) == 0 {
			p.on(trigger.Word{Text: word, AnyCase: true}, isNamed, func(f *finder, pl place, at int) { f.vendor(pl, at, word) })
			p.vendors[p.index[trigger.Word{Text: word, AnyCase: true}]] = true
		}
		p.named[word] = append(p.named[word], row)
	}
	return nil
}

// builtin adds the rules that are no rows.
func (p *pack) builtin(homePaths bool) {
	anyCase := func(l look, r rule, words ...string) {
		for _, word := range words {
			p.on(trigger.Word{Text: word, AnyCase: true}, l, r)
		}
	}
	anyCase(isNamed, (*finder).assignment, credential.Words()...)
	anyCase(always, (*finder).pem, "-----begin")
	anyCase(shaped, (*finder).bearer, "bearer")
	anyCase(shaped, (*finder).basic, "basic ")
	anyCase(isURL, (*finder).url, "://")
	anyCase(always, (*finder).cookies, "cookie")
	anyCase(always, (*finder).userFlag, " -u ", "--user")
	for _, word := range []string{"kind: Secret", `kind": "Secret`, `kind":"Secret`, `kind\": \"Secret`, `kind\":\"Secret`} {
		p.on(trigger.Word{Text: word}, always, (*finder).kubernetes)
	}
	// What is written so has to be read first: escapes, and what nobody sees.
	for _, word := range []string{`\u0`, `\u2`, `\uf`, `\uF`, `:\/`, "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"} {
		p.on(trigger.Word{Text: word}, hidden, func(*finder, place, int) {})
	}
	if homePaths {
		anyCase(always, (*finder).homePath, "/home/", "/users/", `\users\`, `\\users\\`)
		anyCase(always, func(*finder, place, int) {}, `/home\/`, `/users\/`)
	}
}
