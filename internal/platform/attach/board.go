// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// boards knows which board a card's prefix means: one of a kind in the team, and for good.
type boards struct {
	mu    sync.Mutex
	known map[string]int64
}

// maxPages bounds how much of the list is read, 200 boards a page.
const maxPages = 50

// find is the number of the board whose cards begin with a prefix. The list of boards is read when it is not known.
func (b *boards) find(ctx context.Context, session Session, base, prefix string) (int64, error) {
	b.mu.Lock()
	board, ok := b.known[prefix]
	b.mu.Unlock()
	if ok {
		return board, nil
	}
	known := map[string]int64{}
	params := &dash.ListBoardsParams{Limit: new(int32(200))}
	for range maxPages {
		page, err := readBoards(ctx, session, base, params)
		if err != nil {
			return 0, fmt.Errorf("attach_file: which board has the cards %s-…: %w", prefix, err)
		}
		for _, board := range page.Boards {
			known[board.Prefix] = board.Ref
		}
		next, err := page.NextCursor.Get()
		if err != nil { // null: there is no more
			break
		}
		params.Cursor = &next
	}
	b.mu.Lock()
	b.known = known
	b.mu.Unlock()
	if board, ok := known[prefix]; ok {
		return board, nil
	}
	prefixes := make([]string, 0, len(known))
	for p := range known {
		prefixes = append(prefixes, p)
	}
	slices.Sort(prefixes)
	has := "there is none that your key may see"
	if len(prefixes) > 0 {
		has = "there are " + strings.Join(prefixes[:min(len(prefixes), 20)], ", ")
	}
	return 0, fmt.Errorf("attach_file: not sent: no board has cards that begin with %s-; %s", prefix, has)
}

func readBoards(ctx context.Context, session Session, base string, params *dash.ListBoardsParams) (dash.BoardPage, error) {
	var page dash.BoardPage
	req, err := dash.NewListBoardsRequest(base, params)
	if err != nil {
		return page, err
	}
	resp, err := session.Do(ctx, client.Call{Request: req})
	switch {
	case err != nil:
		return page, err
	case resp.Status >= 400:
		return page, resp.Refusal()
	}
	if err := json.Unmarshal(resp.Body, &page); err != nil || page.Boards == nil {
		return page, fmt.Errorf("%s %s: answered %d with something else than a list of boards", resp.Method, resp.Path, resp.Status)
	}
	return page, nil
}
