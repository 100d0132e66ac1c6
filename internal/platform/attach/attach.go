// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// Session makes calls with the session's key.
type Session interface {
	// Do makes one, and sets its Key. An error is a halt or a failure; 2xx and 4xx are answers.
	Do(ctx context.Context, call client.Call) (*client.Response, error)
}

// Options make Files.
type Options struct {
	Session   Session
	Client    *client.Client // says where the dashboard is; calls go through Session
	ConfigDir string         // holds this program's own keys; "" is none
	Home      string         // whose keys are kept; "" is the user's own
	Random    io.Reader      // safe for concurrent use
}

// Files is the tool attach_file. It is safe for concurrent use.
type Files struct {
	session   Session
	client    *client.Client
	forbidden forbidden
	random    io.Reader
	boards    boards
}

// New makes the tool. Nothing is read or sent before its first call.
func New(o Options) *Files {
	return &Files{session: o.Session, client: o.Client, forbidden: newForbidden(o), random: o.Random}
}

// The limits of a file, in bytes.
const (
	maxFile  = 1 << 30
	maxImage = 26_214_400
)

// target is where a file goes.
type target struct {
	inline   bool
	card     string
	replaces string // an attachment, or ""
	primary  bool
	filename string // "" leaves it to the dashboard
	board    int64
}

var (
	cardID       = regexp.MustCompile(`^([A-Z][A-Z0-9]{1,9})-[1-9][0-9]{0,9}$`)
	attachmentID = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// AttachFile uploads a file. The error is a halt, says why the file was not sent, or that there is no answer; a refusal
// of the dashboard's is an answer.
func (f *Files) AttachFile(ctx context.Context, args mcptools.AttachFileArgs) (mcptools.AttachFileResult, error) {
	var result mcptools.AttachFileResult
	if !filepath.IsAbs(args.Path) || strings.ContainsRune(args.Path, 0) {
		return result, notSent(fmt.Errorf("path holds %q: an absolute path is wanted, like /home/ada/shot.png", args.Path))
	}
	t, err := readTarget(args)
	if err != nil {
		return result, notSent(err)
	}
	source, err := f.open(args.Path)
	if err != nil {
		return result, notSent(err)
	}
	defer source.Close()
	if err := fits(source, t, args); err != nil {
		return result, notSent(err)
	}
	if !t.inline {
		prefix := cardID.FindStringSubmatch(t.card)[1]
		if t.board, err = f.boards.find(ctx, f.session, f.client.Base(), prefix); err != nil {
			return result, err
		}
	}
	return f.upload(ctx, t, source)
}

func notSent(err error) error { return fmt.Errorf("attach_file: not sent: %w", err) }

// readTarget reads where the file goes, and refuses what does not go together.
func readTarget(args mcptools.AttachFileArgs) (target, error) {
	t := target{inline: args.Target != nil && *args.Target == mcptools.AttachFileArgsTargetInlineImage}
	if t.inline {
		var extra []string
		for name, given := range map[string]bool{
			"card_id": args.CardID != nil, "replaces": args.Replaces != nil, "primary": args.Primary != nil,
			"filename": args.Filename != nil, "content_type": args.ContentType != nil,
		} {
			if given {
				extra = append(extra, name)
			}
		}
		if len(extra) > 0 {
			return t, fmt.Errorf("target inline_image takes only path: leave out %s", list(extra))
		}
		if name := filepath.Base(args.Path); nameFault(name) == "" {
			t.filename = name
		}
		return t, nil
	}
	if args.CardID == nil {
		return t, errors.New("card_id is missing: name the card, like SHOP-1; or upload an image for a text with target inline_image")
	}
	t.card, t.primary = *args.CardID, args.Primary != nil && *args.Primary
	if !cardID.MatchString(t.card) {
		return t, fmt.Errorf("card_id holds %q, which is no card's id: one is like SHOP-1", client.Excerpt(t.card))
	}
	if args.Replaces != nil {
		if t.replaces = *args.Replaces; !attachmentID.MatchString(t.replaces) {
			return t, errors.New(lists(fmt.Sprintf("replaces holds %q, which is no attachment's id", client.Excerpt(t.replaces)), t.card))
		}
	}
	switch {
	case args.Filename != nil:
		t.filename = *args.Filename
		if fault := nameFault(t.filename); fault != "" {
			return t, fmt.Errorf("filename %s", fault)
		}
	case t.replaces == "": // else the attachment keeps its name
		t.filename = filepath.Base(args.Path)
		if fault := nameFault(t.filename); fault != "" {
			return t, fmt.Errorf("the file's name %s: give another as filename", fault)
		}
	}
	return t, nil
}

// nameFault is why the dashboard does not take a name, or "".
func nameFault(name string) string {
	switch {
	case name == "" || !utf8.ValidString(name):
		return "is no text"
	case utf8.RuneCountInString(name) > 200:
		return "is over 200 characters"
	case strings.ContainsAny(name, `/\`):
		return "holds a slash"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "holds a control character"
	}
	return ""
}

// fits holds the file to its target: its size, and its bytes to what its names and content_type say.
func fits(s *source, t target, args mcptools.AttachFileArgs) error {
	switch size := s.info.Size(); {
	case t.inline && !s.kind.inline:
		return fmt.Errorf("%s holds %s: an inline image is a PNG, JPEG, GIF, WebP or AVIF. Attach it to a card", s.path, s.kind.what)
	case t.inline && size > maxImage:
		return fmt.Errorf("%s has %d bytes: an inline image has at most %d. Make it smaller, or attach it to a card", s.path, size, maxImage)
	case size > maxFile:
		return fmt.Errorf("%s has %d bytes: a file has at most %d", s.path, size, maxFile)
	}
	if err := s.kind.agreesWithName(s.path); err != nil {
		return err
	}
	if err := s.kind.agreesWithName(t.filename); err != nil {
		return err
	}
	if args.ContentType != nil {
		return s.kind.agreesWithType(s.path, *args.ContentType)
	}
	return nil
}
