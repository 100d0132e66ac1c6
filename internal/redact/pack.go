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
	ids   []string // in order
	order map[string]int
	list  []trigger.Word
	index map[trigger.Word]int
	words *trigger.Set
	rules [][]rule // by word
	looks []uint8  // by word: bits of look
	forms [][]form // by word: what looks may see

	named    [][]*namedRow // by vendor
	byVendor map[string]int

	walks int // how many rules walk

	field, home                                                   int
	privateKey, bearer, basic, assigned, url, cookie, commandLine int
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

// newPack reads the rows. The seed's rules come first, in its order.
func newPack(homePaths bool) (*pack, error) {
	p := &pack{order: map[string]int{}, index: map[trigger.Word]int{}, byVendor: map[string]int{}}
	p.field = p.id("secret_field_name")
	for _, id := range []string{"aws_access_key", "private_key", "github_token", "anthropic_key", "openai_key", "slack_token", "jwt", "bearer_token", "home_path", "assigned_secret"} {
		p.id(id)
	}
	p.privateKey, p.bearer, p.home, p.assigned = p.order["private_key"], p.order["bearer_token"], p.order["home_path"], p.order["assigned_secret"]
	p.basic, p.url, p.cookie, p.commandLine = p.id("basic_header"), p.id("url_credentials"), p.id("cookie"), p.id("command_line_credentials")
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
	row := &namedRow{rule: p.id(id), expression: strings.TrimSpace(expression)}
	for word := range strings.SplitSeq(words, ",") {
		word = strings.ToLower(word)
		i, known := p.byVendor[word]
		if !known {
			i = len(p.named)
			p.byVendor[word] = i
			w := trigger.Word{Text: word, AnyCase: true, Next: inName}
			p.on(w, isVendor, func(f *finder, pl place, at int) { f.vendor(pl, at, i) })
			p.named = append(p.named, nil)
		}
		p.named[i] = append(p.named[i], row)
	}
	return nil
}

// A namedRow is what a vendor's credentials look like. Few of the rows are ever asked, so that each is read when it is.
type namedRow struct {
	rule       int
	expression string
	shape      *shape.Shape
}

// match tells whether all of a value is one.
func (r *namedRow) match(value []byte) (shape.Match, bool) {
	if r.shape == nil {
		r.shape = shape.MustCompile(r.expression)
	}
	m, ok := r.shape.Match(value, 0)
	return m, ok && m.To == len(value)
}

// inName is what may follow a part of a name.
const inName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$\"'`\\] \t=:,(>?+|<&%"

// builtin adds the rules that are no rows.
func (p *pack) builtin(homePaths bool) {
	anyCase := func(l look, r rule, words ...string) {
		for _, word := range words {
			w := trigger.Word{Text: word, AnyCase: true}
			p.on(w, l, r)
		}
	}
	for _, w := range credential.Words() {
		p.on(trigger.Word{Text: w.Text, AnyCase: true, Next: w.Next}, isNamed, (*finder).assignment)
	}
	anyCase(always, (*finder).pem, "-----begin")
	anyCase(isScheme, (*finder).bearer, "bearer")
	anyCase(isScheme, (*finder).basic, "basic ")
	anyCase(isURL, (*finder).url, "://")
	anyCase(always, (*finder).cookies, "cookie")
	anyCase(always, (*finder).userFlag, " -u ", "--user")
	anyCase(always, (*finder).kubernetes, "kind: secret", `kind: "secret`, `kind: \"secret`, "kind: 'secret", `kind": "secret`, `kind":"secret`, `kind\": \"secret`, `kind\":\"secret`)
	// What is written so has to be read first: escapes, and what nobody sees.
	for _, word := range []string{`\u000`, `\u001`, `\u002`, `\u003`, `\u004`, `\u005`, `\u006`, `\u007`, `\u200`, `\u202`, `\u206`, `\ufef`, `\uFEF`, `:\/`, "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"} {
		p.on(trigger.Word{Text: word}, hidden, func(*finder, place, int) {})
	}
	if homePaths {
		anyCase(always, (*finder).homePath, "/home/", "/users/", `\users\`, `\\users\\`)
		anyCase(always, func(*finder, place, int) {}, `/home\/`, `/users\/`)
	}
}
