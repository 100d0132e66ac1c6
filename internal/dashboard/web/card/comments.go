// SPDX-License-Identifier: Apache-2.0

package card

import (
	"errors"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// Comments are what people and agents said, oldest first.
type Comments struct {
	List  []Comment
	Later bool // a page after the first
	More  string
}

// Comment is what somebody said. Its body is Markdown as it was written.
type Comment struct {
	ID   int64
	By   string
	At   layout.Moment
	Body string
}

func (p *Page) readComments(v *visit.Visit, at place) error {
	limit := dash.Limit(commentsSize)
	params := dash.ListCommentsParams{Board: at.board, Limit: &limit}
	if cursor := v.R.URL.Query().Get(commentsID); cursor != "" {
		params.Cursor, p.Comments.Later = &cursor, true
	}
	rsp, err := apiclient.Check(v.API.ListCommentsWithResponse(v.R.Context(), at.id, &params))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no list of comments")
	}
	for _, c := range rsp.JSON200.Comments {
		p.Comments.List = append(p.Comments.List, Comment{
			ID: c.ID, By: visible.Text(words.Actor(c.By), 120), At: layout.Moment{Now: v.Now, At: c.At.Time}, Body: c.Body,
		})
	}
	next, _ := rsp.JSON200.NextCursor.Get()
	p.Comments.More = more(at, commentsID, next)
	return nil
}

// Comment keeps what a person says.
func AddComment(v *visit.Visit) error {
	return change(v, commentsID, []string{"comment"}, func(at place, typed map[string]string) error {
		once := v.Field("once")
		_, err := apiclient.Check(v.API.AddCommentWithResponse(v.R.Context(), at.id,
			&dash.AddCommentParams{Board: at.board, IdempotencyKey: &once}, dash.CommentCreate{Body: typed["comment"]}))
		return err
	}, map[string]visit.Field{"/body": {ID: "comment", Label: "The comment"}})
}

func (p Page) commentField() layout.Field {
	return layout.Field{Name: "comment", Label: "Comment", Type: "textarea", Rows: 4, MaxLength: 50_000, Hint: "Markdown.",
		Value: p.Draft.Text["comment"], Problem: layout.For(p.Problems, "comment")}
}
