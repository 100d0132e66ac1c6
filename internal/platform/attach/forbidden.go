// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// never is what is not sent, whoever asks. An entry is a path as it ends: a folder stands for all that is below it,
// wherever it lies, and "*" for anything within one name. Names are compared without regard to case, since some systems
// do not tell the two apart.
var never = []struct {
	what  string
	paths []string
}{
	{"keys of SSH", []string{".ssh/", "etc/ssh/", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"}},
	{"keys of GnuPG and password stores", []string{".gnupg/", ".password-store/", ".pki/", "library/keychains/", ".local/share/keyrings/", "*.kdbx", ".config/op/"}},
	{"credentials of a cloud", []string{".aws/", ".config/gcloud/", ".azure/", ".kube/", ".oci/", ".config/doctl/", ".terraform.d/credentials.tfrc.json", "*.tfstate", "*.tfvars", "kubeconfig", ".databrickscfg", ".vault-token", ".boto", ".s3cfg"}},
	{"credentials of a registry", []string{".docker/config.json", ".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/containers/auth.json", ".m2/settings.xml", ".dockercfg", ".yarnrc.yml", ".config/pip/pip.conf", ".pip/pip.conf"}},
	{"passwords of hosts", []string{".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh/hosts.yml", ".config/glab-cli/config.yml", ".pgpass", ".my.cnf", ".config/rclone/rclone.conf", ".config/hub", ".htpasswd"}},
	{"credentials of an agent", []string{".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/github-copilot/"}},
	{"logins of a browser", []string{".mozilla/", ".config/google-chrome/", ".config/chromium/", "library/application support/google/chrome/", "library/cookies/", "cookies.sqlite", "logins.json", "key4.db", "login data"}},
	{"a private key", []string{"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk"}},
	{"settings with secrets", []string{".env", ".env.*", "*.env", ".envrc"}},
	{"this program's own keys", []string{".config/danxbot/", "danxbot/session-keys/"}},
	{"passwords of the system", []string{"etc/shadow", "etc/shadow-", "etc/gshadow", "etc/gshadow-", "etc/sudoers", "etc/sudoers.d/", "etc/master.passwd", "etc/security/", "private/etc/master.passwd"}},
}

// harmless are names that never would stand for, and do not.
var harmless = []string{".env.example", ".env.sample", ".env.template", ".env.dist", "id_rsa.pub", "id_ecdsa.pub", "id_ed25519.pub"}

// devices are folders of which the files are no files.
var devices = []string{"/proc/", "/sys/", "/dev/"}

// privateKeys stand in the text form of a private key, whatever its kind.
var privateKeys = [][]byte{
	[]byte("PRIVATE " + "KEY-----"), []byte("PRIVATE " + "KEY BLOCK-----"), []byte("AGE-SECRET-" + "KEY-1"), []byte("PuTTY-User-" + "Key-File-"),
}

// dashboardKey is what a key of an agent looks like, whichever session's it is.
var dashboardKey = regexp.MustCompile(`50a_[A-Za-z0-9_-]{43}`)

// forbidden tells what is not sent.
type forbidden struct {
	home, config string
}

func newForbidden(o Options) forbidden {
	f := forbidden{home: o.Home}
	if f.home == "" {
		f.home, _ = os.UserHomeDir() // without one, the entries hold by their names alone
	}
	if o.ConfigDir != "" {
		f.config = filepath.Join(o.ConfigDir, "danxbot")
	}
	return f
}

// names refuses a file by where it lies. path is how the call names it.
func (f forbidden) names(named, real string) error {
	slashed := strings.ToLower(filepath.ToSlash(real))
	if runtime.GOOS != "windows" {
		for _, folder := range devices {
			if strings.HasPrefix(slashed, folder) {
				return fmt.Errorf("%s lies in %s, which holds no files of yours", named, strings.TrimSuffix(folder, "/"))
			}
		}
	}
	if f.config != "" && within(real, f.config) {
		return fmt.Errorf("%s holds this program's own keys, which are never sent", named)
	}
	for _, ending := range []string{"~", ".bak", ".old", ".orig", ".save", ".swp"} { // a copy holds what the file does
		slashed = strings.TrimSuffix(slashed, ending)
	}
	for _, entry := range never {
		for _, p := range entry.paths {
			if !strings.HasSuffix(p, "/") && slices.Contains(harmless, path.Base(slashed)) {
				continue
			}
			// A folder of the person's may be a link to somewhere else.
			linked := f.home != "" && strings.HasPrefix(p, ".") && !strings.Contains(p, "*") && within(real, filepath.Join(f.home, filepath.FromSlash(p)))
			if linked || matches(slashed, p) {
				return fmt.Errorf("%s may hold %s, which are never sent: a person can attach it on the card's page", named, entry.what)
			}
		}
	}
	return nil
}

// matches tells whether a path ends as an entry says, or goes through the folder that it is.
func matches(slashed, entry string) bool {
	if folder, ok := strings.CutSuffix(entry, "/"); ok {
		return strings.Contains(slashed, "/"+folder+"/")
	}
	if strings.Contains(entry, "*") {
		ok, err := path.Match(entry, path.Base(slashed))
		return ok && err == nil
	}
	return strings.HasSuffix(slashed, "/"+entry)
}

// within tells whether a real path is that of a file or folder, links followed, or lies in it.
func within(real, folder string) bool {
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		resolved = filepath.Clean(folder)
	}
	rest, ok := strings.CutPrefix(real, resolved)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// own refuses a key of this program's under another name, which a hard link gives it.
func (f forbidden) own(named string, info fs.FileInfo) error {
	if f.config == "" {
		return nil
	}
	keys := os.DirFS(f.config)
	err := fs.WalkDir(keys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what this user cannot read, this user cannot have linked
		}
		if key, err := fs.Stat(keys, p); err == nil && os.SameFile(key, info) {
			return fmt.Errorf("%s is this program's own key, which is never sent", named)
		}
		return nil
	})
	return err
}
