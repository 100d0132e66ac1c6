// SPDX-License-Identifier: Apache-2.0

package approval_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/approval"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func request() dash.AccessRequest {
	title, version, host, project := "Mend <the> checkout", "2.1.0", "laptop", "shop"
	return dash.AccessRequest{
		PublicID:    "3b7f0c4b1e2a9d4c5fb1a2c3d4e5f607",
		Status:      dash.RequestStatusPending,
		Title:       &title,
		Team:        &dash.TeamRef{Slug: "acme", Name: "Acme"},
		Client:      dash.AskingClient{Name: "claude-code", Version: &version, Host: &host, Project: &project},
		Address:     "192.0.2.7",
		ConfirmCode: "KTRM-4829",
		CreatedAt:   dash.At(noon),
		ExpiresAt:   dash.At(noon.Add(approval.DecideWithin)),
	}
}

func TestCanonicalIsWrittenOutOnce(t *testing.T) {
	got, err := approval.Canonical(request())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"kind":"access","publicId":"3b7f0c4b1e2a9d4c5fb1a2c3d4e5f607","title":"Mend <the> checkout",` +
		`"team":"acme","client":{"name":"claude-code","version":"2.1.0","host":"laptop","project":"shop"},` +
		`"address":"192.0.2.7","confirmCode":"KTRM-4829",` +
		`"createdAt":"2026-01-02T12:00:00.000Z","expiresAt":"2026-01-02T12:10:00.000Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the canonical form changed; digests of requests that wait would not hold any more (-want +got):\n%s", diff)
	}
}

// Everything that the asker said or that the server saw is under the digest; what is not is listed here.
func TestDigestCoversWhatIsShown(t *testing.T) {
	t.Run("access", func(t *testing.T) {
		covers(t, request, approval.Digest, map[string]string{
			"Status":   "what became of the request",
			"Digest":   "the digest itself",
			"Grants":   "the viewer's, and named in the decision",
			"Decision": "what became of the request",
			"TeamName": "a team is addressed by its slug",
		})
	})
	t.Run("permission", func(t *testing.T) {
		covers(t, permissionRequest, approval.PermissionDigest, map[string]string{
			"Status":         "what became of the request",
			"Digest":         "the digest itself",
			"Decision":       "what became of the request",
			"KeyOwnerName":   "a person is their id",
			"KeyPermissions": "what the key holds already: another grant may come in between",
			"KeyCreatedAt":   "the key is its id",
			"KeyLastUsedAt":  "it goes on while the request waits",
			"KeyLapsesAt":    "it goes on while the request waits",
			"KeyRevokedAt":   "a decision looks at it by itself",
			"KeyRevokedBy":   "a decision looks at it by itself",
		})
	})
}

func permissionRequest() dash.PermissionRequest {
	return dash.PermissionRequest{
		PublicID: "4c5fb1a2c3d4e5f6073b7f0c4b1e2a9d", Status: dash.RequestStatusPending,
		Key: dash.Key{
			ID: "0c4b1e2a9d4c5fb1a2c3d4e5f607183b", Prefix: "50a_Zk3v", Title: "Mend <the> checkout",
			Owner: dash.PersonRef{ID: "7f0c4b1e2a9d4c5fb1a2c3d4e5f60718", Name: "Ada"}, Permissions: []dash.Permission{},
			CreatedAt: dash.At(noon), LastUsedAt: dash.At(noon), LapsesAt: dash.At(noon),
		},
		Permissions: []dash.Permission{dash.PermissionBoardsEdit}, Reason: "It needs a board.", Address: "192.0.2.7", ConfirmCode: "MRXN-2745",
		CreatedAt: dash.At(noon), ExpiresAt: dash.At(noon.Add(approval.DecideWithin)),
	}
}

func TestCanonicalPermissionIsWrittenOutOnce(t *testing.T) {
	got, err := approval.CanonicalPermission(permissionRequest())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"kind":"permission","publicId":"4c5fb1a2c3d4e5f6073b7f0c4b1e2a9d","key":"0c4b1e2a9d4c5fb1a2c3d4e5f607183b",` +
		`"prefix":"50a_Zk3v","title":"Mend <the> checkout","owner":"7f0c4b1e2a9d4c5fb1a2c3d4e5f60718","permissions":["boards.edit"],` +
		`"reason":"It needs a board.","address":"192.0.2.7","confirmCode":"MRXN-2745",` +
		`"createdAt":"2026-01-02T12:00:00.000Z","expiresAt":"2026-01-02T12:10:00.000Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the canonical form changed; digests of requests that wait would not hold any more (-want +got):\n%s", diff)
	}
}

// covers changes each part of a request in turn: the digest changes with it, unless the part is listed as outside.
func covers[R any](t *testing.T, request func() R, digest func(R) (string, error), outside map[string]string) {
	base, err := digest(request())
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]bool{}
	var walk func(path string, at func(*R) reflect.Value)
	walk = func(path string, at func(*R) reflect.Value) {
		r := request()
		v := at(&r)
		switch {
		case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct && !v.IsNil():
			walk(path, func(r *R) reflect.Value { return at(r).Elem() })
			return
		case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[dash.Time]():
			for i := range v.NumField() {
				walk(path+v.Type().Field(i).Name, func(r *R) reflect.Value { return at(r).Field(i) })
			}
			return
		}
		switch x := v.Addr().Interface().(type) {
		case *string:
			*x += "x"
		case **string:
			other := **x + "x"
			*x = &other
		case *dash.Time:
			*x = dash.At(x.Add(time.Millisecond))
		case **dash.Time:
			later := dash.At(noon)
			*x = &later
		case **dash.PersonRef:
			*x = &dash.PersonRef{ID: "x"}
		case *dash.RequestStatus:
			*x = dash.RequestStatusDenied
		case *[]dash.Permission:
			*x = []dash.Permission{dash.PermissionCardsView}
		case **dash.RequestDecision:
			*x = &dash.RequestDecision{}
		default:
			t.Fatalf("%s: this test knows no other value for a %s", path, v.Type())
		}
		got, err := digest(r)
		if err != nil {
			t.Fatal(err)
		}
		changed[path] = got != base
	}
	walk("", func(r *R) reflect.Value { return reflect.ValueOf(r).Elem() })
	for path, covered := range changed {
		if _, out := outside[path]; covered == out {
			t.Errorf("%s: under the digest: %v", path, covered)
		}
	}
}

func TestStatusAt(t *testing.T) {
	tests := []struct {
		written dash.RequestStatus
		now     time.Time
		want    dash.RequestStatus
	}{
		{dash.RequestStatusPending, noon.Add(-time.Millisecond), dash.RequestStatusPending},
		{dash.RequestStatusPending, noon, dash.RequestStatusExpired},
		{dash.RequestStatusApproved, noon.Add(-time.Millisecond), dash.RequestStatusApproved},
		{dash.RequestStatusApproved, noon, dash.RequestStatusExpired},
		{dash.RequestStatusClaimed, noon.Add(time.Hour), dash.RequestStatusClaimed},
		{dash.RequestStatusDenied, noon.Add(time.Hour), dash.RequestStatusDenied},
		{dash.RequestStatusRevisionRequested, noon.Add(time.Hour), dash.RequestStatusRevisionRequested},
	}
	for _, tt := range tests {
		if got := approval.StatusAt(tt.written, noon, tt.now); got != tt.want {
			t.Errorf("%s at %s: got %s, want %s", tt.written, tt.now, got, tt.want)
		}
	}
}

func TestVisibleTo(t *testing.T) {
	tests := []struct {
		name                           string
		viewer, addressedTo, decidedBy string
		want                           bool
	}{
		{"named the viewer's team", "a", "a", "", true},
		{"named another team", "a", "b", "", false},
		{"named nobody", "a", "", "", true},
		{"named nobody, decided by the viewer's team", "a", "", "a", true},
		{"named nobody, decided by another team", "a", "", "b", false},
		{"named the viewer's team, whoever decided", "a", "a", "b", true},
	}
	for _, tt := range tests {
		if got := approval.VisibleTo(tt.viewer, tt.addressedTo, tt.decidedBy); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// Each status that is no longer pending says itself and what to do now.
func TestUndecided(t *testing.T) {
	for kind, ended := range map[approval.Kind][]dash.RequestStatus{
		approval.Access: {
			dash.RequestStatusApproved, dash.RequestStatusClaimed, dash.RequestStatusDenied,
			dash.RequestStatusExpired, dash.RequestStatusRevisionRequested,
		},
		approval.Permission: {
			dash.RequestStatusApproved, dash.RequestStatusDenied, dash.RequestStatusExpired, dash.RequestStatusRevisionRequested,
		},
	} {
		for _, status := range ended {
			refusal, ok := approval.Undecided(kind, status, "d", "d").(dash.NotPendingRefusal)
			if !ok || refusal.Status != status || refusal.Next == "" || strings.HasSuffix(refusal.Message, "already ") {
				t.Errorf("%s %s: got %+v", kind, status, refusal)
			}
		}
		mismatch, ok := approval.Undecided(kind, dash.RequestStatusPending, "one", "other").(dash.DigestMismatchRefusal)
		if !ok || mismatch.Digest != "one" || mismatch.Next == "" {
			t.Errorf("got %+v", mismatch)
		}
		if err := approval.Undecided(kind, dash.RequestStatusPending, "d", "d"); err != nil {
			t.Errorf("a request that can be decided: %v", err)
		}
	}
}

// A grant does not expire; a request that waits does.
func TestPermissionStatusAt(t *testing.T) {
	for _, tt := range []struct{ written, before, at dash.RequestStatus }{
		{dash.RequestStatusPending, dash.RequestStatusPending, dash.RequestStatusExpired},
		{dash.RequestStatusApproved, dash.RequestStatusApproved, dash.RequestStatusApproved},
		{dash.RequestStatusDenied, dash.RequestStatusDenied, dash.RequestStatusDenied},
	} {
		if got := approval.PermissionStatusAt(tt.written, noon, noon.Add(-time.Millisecond)); got != tt.before {
			t.Errorf("%s before its end: %s", tt.written, got)
		}
		if got := approval.PermissionStatusAt(tt.written, noon, noon); got != tt.at {
			t.Errorf("%s at its end: %s", tt.written, got)
		}
	}
}

func TestConfirmCode(t *testing.T) {
	shape := regexp.MustCompile(`^[BCDFGHJKMNPRSTVWXZ]{4}-[2-9]{4}$`)
	counts := map[byte]int{}
	random := rand.NewChaCha8([32]byte{7})
	const codes = 100000
	for range codes {
		code, err := approval.NewConfirmCode(random)
		if err != nil {
			t.Fatal(err)
		}
		if !shape.MatchString(code) {
			t.Fatalf("code %q", code)
		}
		for i := range code {
			counts[code[i]]++
		}
	}
	delete(counts, '-')
	for sign, n := range counts { // without the throwing away, four letters would come 5 % too often
		want := codes * 4 / 18
		if sign <= '9' {
			want = codes * 4 / 8
		}
		if n < want*97/100 || n > want*103/100 {
			t.Errorf("%c came %d times, want about %d", sign, n, want)
		}
	}
}

func TestConfirmCodeThrowsAwayTheRest(t *testing.T) {
	source := append(bytes.Repeat([]byte{252, 253, 254, 255}, 3), 251, 0, 1, 17, 255, 7, 8, 254)
	got, err := approval.NewConfirmCode(bytes.NewReader(source))
	if err != nil || got != "ZBCZ-9928" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := approval.NewConfirmCode(iotest.ErrReader(iotest.ErrTimeout)); err == nil {
		t.Error("a source without bytes made a code")
	}
}
