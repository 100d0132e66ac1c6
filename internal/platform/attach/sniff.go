// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"bytes"
	"fmt"
	"mime"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is what a file's bytes are.
type kind struct {
	name    string
	what    string   // for messages, with its article
	endings []string // of files of that kind, without the dot
	types   []string // content types that name it
	inline  bool     // an image that any text may show
	text    bool
	begins  func(head []byte) bool // nil is told apart otherwise
}

// textEndings are those of files that hold text of whatever language.
var textEndings = strings.Fields("txt text md markdown mdx rst adoc log csv tsv json jsonl ndjson yaml yml toml ini conf cfg properties xml " +
	"go mod sum py rb rs js mjs cjs jsx tsx java kt c h cc cpp hpp cs swift php pl lua sh bash zsh fish ps1 bat sql graphql proto css scss less " +
	"diff patch tex bib srt vtt dot mmd templ vue svelte tf ipynb geojson")

var kinds = []kind{
	{name: "png", what: "a PNG image", endings: []string{"png", "apng"}, types: []string{"image/png", "image/apng"}, inline: true, begins: magic("\x89PNG\r\n\x1a\n")},
	{name: "jpeg", what: "a JPEG image", endings: []string{"jpg", "jpeg", "jpe", "jfif"}, types: []string{"image/jpeg", "image/jpg"}, inline: true, begins: magic("\xff\xd8\xff")},
	{name: "gif", what: "a GIF image", endings: []string{"gif"}, types: []string{"image/gif"}, inline: true, begins: magic("GIF87a", "GIF89a")},
	{name: "webp", what: "a WebP image", endings: []string{"webp"}, types: []string{"image/webp"}, inline: true, begins: riff("WEBP")},
	{name: "avif", what: "an AVIF image", endings: []string{"avif", "avifs"}, types: []string{"image/avif"}, inline: true, begins: brand("avif", "avis")},
	{name: "heic", what: "a HEIC image", endings: []string{"heic", "heif"}, types: []string{"image/heic", "image/heif"}, begins: brand("heic", "heix", "hevc", "mif1", "msf1")},
	{name: "bmp", what: "a BMP image", endings: []string{"bmp", "dib"}, types: []string{"image/bmp", "image/x-ms-bmp"}, begins: func(h []byte) bool {
		return len(h) > 14 && h[0] == 'B' && h[1] == 'M' && h[6] == 0 && h[7] == 0 && h[8] == 0 && h[9] == 0
	}},
	{name: "tiff", what: "a TIFF image", endings: []string{"tif", "tiff", "dng"}, types: []string{"image/tiff"}, begins: magic("II*\x00", "MM\x00*")},
	{name: "ico", what: "an icon", endings: []string{"ico", "cur"}, types: []string{"image/x-icon", "image/vnd.microsoft.icon"}, begins: magic("\x00\x00\x01\x00", "\x00\x00\x02\x00")},
	{name: "pdf", what: "a PDF document", endings: []string{"pdf", "ai"}, types: []string{"application/pdf"}, begins: magic("%PDF-")},
	{name: "zip", what: "a ZIP archive", endings: strings.Fields("zip docx docm xlsx xlsm pptx pptm odt ods odp odg jar war apk ipa epub whl vsix xpi nupkg kmz usdz sketch fig numbers pages"),
		types: []string{"application/zip", "application/x-zip-compressed", "application/java-archive", "application/epub+zip", "application/vnd."}, begins: magic("PK\x03\x04", "PK\x05\x06")},
	{name: "gzip", what: "a gzip file", endings: []string{"gz", "tgz", "svgz", "emz"}, types: []string{"application/gzip", "application/x-gzip"}, begins: magic("\x1f\x8b\x08")},
	{name: "xz", what: "an xz file", endings: []string{"xz", "txz"}, types: []string{"application/x-xz"}, begins: magic("\xfd7zXZ\x00")},
	{name: "bzip2", what: "a bzip2 file", endings: []string{"bz2", "tbz2"}, types: []string{"application/x-bzip2"}, begins: magic("BZh")},
	{name: "zstd", what: "a Zstandard file", endings: []string{"zst", "tzst"}, types: []string{"application/zstd"}, begins: magic("\x28\xb5\x2f\xfd")},
	{name: "7z", what: "a 7-Zip archive", endings: []string{"7z"}, types: []string{"application/x-7z-compressed"}, begins: magic("7z\xbc\xaf\x27\x1c")},
	{name: "mp4", what: "an MP4 or QuickTime film", endings: []string{"mp4", "m4v", "m4a", "m4b", "mov", "qt", "3gp"}, types: []string{"video/mp4", "audio/mp4", "video/quicktime", "video/x-m4v", "audio/x-m4a", "video/3gpp"}, begins: func(h []byte) bool {
		return len(h) > 12 && string(h[4:8]) == "ftyp"
	}},
	{name: "webm", what: "a WebM or Matroska film", endings: []string{"webm", "mkv", "mka"}, types: []string{"video/webm", "audio/webm", "video/x-matroska"}, begins: magic("\x1a\x45\xdf\xa3")},
	{name: "mp3", what: "an MP3 recording", endings: []string{"mp3"}, types: []string{"audio/mpeg"}, begins: magic("ID3", "\xff\xfb", "\xff\xf3", "\xff\xf2")},
	{name: "ogg", what: "an Ogg recording", endings: []string{"ogg", "oga", "ogv", "opus"}, types: []string{"audio/ogg", "video/ogg", "application/ogg"}, begins: magic("OggS\x00")},
	{name: "wav", what: "a WAV recording", endings: []string{"wav"}, types: []string{"audio/wav", "audio/wave", "audio/x-wav"}, begins: riff("WAVE")},
	{name: "avi", what: "an AVI film", endings: []string{"avi"}, types: []string{"video/x-msvideo", "video/avi"}, begins: riff("AVI ")},
	{name: "svg", what: "an SVG drawing", endings: []string{"svg"}, types: []string{"image/svg+xml"}, text: true, begins: func(h []byte) bool { return root(h) == "svg" }},
	{name: "html", what: "an HTML page", endings: []string{"html", "htm", "xhtml"}, types: []string{"text/html", "application/xhtml+xml"}, text: true, begins: func(h []byte) bool {
		return root(h) == "html" || bytes.HasPrefix(bytes.ToLower(trimmed(h)), []byte("<!doctype html"))
	}},
}

var (
	empty  = kind{name: "empty", what: "nothing"}
	text   = kind{name: "text", what: "text", text: true}
	opaque = kind{name: "bytes", what: "bytes of no known kind"}
)

// sniff tells what a file is from how it begins.
func sniff(head []byte) kind {
	if len(head) == 0 {
		return empty
	}
	readable := isText(head)
	for _, k := range kinds {
		if (readable || !k.text) && k.begins(head) {
			return k
		}
	}
	if readable {
		return text
	}
	return opaque
}

func magic(beginnings ...string) func([]byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return bytes.HasPrefix(head, []byte(b)) })
	}
}

func riff(form string) func([]byte) bool {
	return func(head []byte) bool {
		return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == form
	}
}

// brand tells files of boxes by what their first box says they are, or can be read as.
func brand(names ...string) func([]byte) bool {
	return func(head []byte) bool {
		if len(head) < 16 || string(head[4:8]) != "ftyp" {
			return false
		}
		size := int(head[0])<<24 | int(head[1])<<16 | int(head[2])<<8 | int(head[3])
		for at := 8; at+4 <= min(size, len(head), 128); at += 4 {
			if at != 12 && slices.Contains(names, string(head[at:at+4])) { // at 12 is a version
				return true
			}
		}
		return false
	}
}

// isText tells text of any encoding in use by the absence of what no text holds.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) { // UTF-16
		return true
	}
	return !slices.ContainsFunc(head, func(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b })
}

// trimmed is text without its mark and its first blanks.
func trimmed(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\f")
}

// root is the name of the first element of a document in angle brackets, in lower case without its namespace; "" is none.
func root(head []byte) string {
	rest := trimmed(head)
	for {
		var end string
		switch {
		case bytes.HasPrefix(rest, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(rest, []byte("<!")):
			end = ">"
			if subset := bytes.IndexByte(rest, '['); subset >= 0 && subset < bytes.IndexByte(rest, '>') {
				end = "]>"
			}
		case bytes.HasPrefix(rest, []byte("<")):
			name := rest[1:]
			if stop := bytes.IndexAny(name, " \t\r\n\f/>"); stop >= 0 {
				name = name[:stop]
			}
			if colon := bytes.IndexByte(name, ':'); colon >= 0 {
				name = name[colon+1:]
			}
			return strings.ToLower(string(name))
		default:
			return ""
		}
		at := bytes.Index(rest, []byte(end))
		if at < 0 {
			return ""
		}
		rest = trimmed(rest[at+len(end):])
	}
}

// agreesWithName refuses a file whose name ends as that of another kind.
func (k kind) agreesWithName(name string) error {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if ending == "" || k.name == empty.name {
		return nil
	}
	wanted, known := kindOfEnding(ending)
	if !known || wanted.name == k.name || wanted.name == text.name && k.text || wanted.name == "html" && k.name == text.name {
		return nil
	}
	return fmt.Errorf("%s is disguised: it ends in .%s, which is %s, and holds %s", filepath.Base(name), ending, wanted.what, k.what)
}

func kindOfEnding(ending string) (kind, bool) {
	for _, k := range kinds {
		if slices.Contains(k.endings, ending) {
			return k, true
		}
	}
	return text, slices.Contains(textEndings, ending)
}

// textTypes are content types of text that do not begin so.
var textTypes = []string{"application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml", "application/javascript", "application/sql", "application/x-ndjson", "application/jsonl", "application/x-sh", "application/graphql"}

// agreesWithType refuses a file that is meant to be of another kind.
func (k kind) agreesWithType(name, contentType string) error {
	meant, _, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.Contains(meant, "/") || !utf8.ValidString(contentType) {
		return fmt.Errorf("content_type holds %q, which is no content type: one is like image/png", contentType)
	}
	is := func(t string) bool { return t == meant || strings.HasSuffix(t, ".") && strings.HasPrefix(meant, t) }
	isText := strings.HasPrefix(meant, "text/") || slices.Contains(textTypes, meant) || strings.HasSuffix(meant, "+json") || strings.HasSuffix(meant, "+xml")
	ofAny := slices.ContainsFunc(kinds, func(k kind) bool { return slices.ContainsFunc(k.types, is) })
	switch {
	case meant == octets, slices.ContainsFunc(k.types, is), k.name == empty.name:
		return nil
	case k.name == text.name && isText && (!ofAny || meant == "text/html"):
		return nil
	case k.text && slices.Contains([]string{"text/plain", "text/xml", "application/xml"}, meant):
		return nil
	case k.name == opaque.name && !isText && !ofAny:
		return nil
	}
	return fmt.Errorf("%s is meant to be %s, and holds %s", filepath.Base(name), meant, k.what)
}
