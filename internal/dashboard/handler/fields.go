// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// fillers read what may be opted into, onto a card. Children are apart: they are cards with fields of their own.
var fillers = map[string]func(context.Context, store.WorkReader, *dash.Issue) error{
	"description": func(ctx context.Context, r store.WorkReader, i *dash.Issue) error {
		if i.DescriptionHash == "" {
			return nil
		}
		text, err := r.Description(ctx, i.ID)
		i.Description = optional(text)
		return err
	},
	"acceptance": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.Acceptance, err = r.Acceptance(ctx, i.ID)
		return err
	},
	"waiting_on": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.WaitingOn, err = r.WaitingOn(ctx, i.ID)
		return err
	},
	"conflict_on": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.ConflictOn, err = r.Conflicts(ctx, i.ID)
		return err
	},
	"attachments": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.Attachments, err = r.Attachments(ctx, i.ID)
		return err
	},
}

// optIn reads what a caller opted into onto cards.
func optIn(ctx context.Context, r store.WorkReader, issues []dash.Issue, fields work.Fields) error {
	for n := range issues {
		i := &issues[n]
		for name := range fields {
			if filler := fillers[name]; filler != nil {
				if err := filler(ctx, r, i); err != nil {
					return during("read the "+name+" of "+i.ID, err)
				}
			}
		}
		if below, wanted := fields["children"]; wanted && i.Type == dash.IssueTypeEpic {
			rows, err := r.Children(ctx, i.ID)
			if err != nil {
				return during("read the children of "+i.ID, err)
			}
			for _, row := range rows {
				i.Children = append(i.Children, row.Issue)
			}
			if err := optIn(ctx, r, i.Children, below); err != nil {
				return err
			}
		}
	}
	return nil
}
