// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/mcpclient"
)

// largest is the largest file that a card takes, in bytes.
const largest = 1 << 30

// fileFigures attaches the largest file that a card takes, and measures what it costs on its way: in platform-mcp, which
// reads it, and in the dashboard, which keeps it.
func fileFigures(ctx context.Context, binary, dir string, d *dashboardProcess) (_ []figure, err error) {
	card, err := d.cardForFiles(ctx)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "large.bin")
	if err := sparse(path, largest); err != nil {
		return nil, err
	}
	cmd := mcpCommand(binary, d)
	cmd.Env = append(cmd.Env, "DANXBOT_EXTRA_TOOLS=attach_file") // a dispatch is shown it by name alone
	client, err := mcpclient.Start(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if _, err := client.Initialize(ctx, "bench"); err != nil {
		return nil, err
	}
	before, err := peakMB(d.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	res, err := client.CallTool(ctx, "attach_file", mcptools.AttachFileArgs{CardID: &card, Path: path})
	took := time.Since(begin)
	if err != nil {
		return nil, err
	}
	var kept mcptools.AttachFileResult
	if res.IsError || json.Unmarshal([]byte(res.Text), &kept) != nil || kept.AttachmentID == nil {
		return nil, fmt.Errorf("attach_file answered %s", res.Text)
	}
	sending, err := peakMB(cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	keeping, err := peakMB(d.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	return []figure{
		{Name: "platform-mcp: peak memory after a file of 1 GiB was attached", Unit: "MB", AtMost: 30, Seen: sending,
			Details: fmt.Sprintf("%.3g s, %.0f MB/s, over loopback and onto the disk", took.Seconds(), largest/1e6/took.Seconds())},
		{Name: "dashboard: growth of its peak memory by that", Unit: "MB", AtMost: 30, Seen: keeping - before,
			Details: fmt.Sprintf("%.3g MB in all", keeping)},
	}, nil
}

// cardForFiles makes a board and a card for the person's agent.
func (d *dashboardProcess) cardForFiles(ctx context.Context) (string, error) {
	board, err := d.person.CreateBoardWithResponse(ctx, nil, dash.BoardCreate{Name: "Files", Prefix: "FILES"}, d.withCSRF)
	if err != nil {
		return "", err
	}
	if board.JSON201 == nil {
		return "", fmt.Errorf("make a board: %s", board.Body)
	}
	card, err := d.person.CreateIssueWithResponse(ctx, nil, dash.IssueCreate{Board: &board.JSON201.Ref, Title: "Keep a file"}, d.withCSRF)
	if err != nil {
		return "", err
	}
	if card.JSON201 == nil {
		return "", fmt.Errorf("make a card: %s", card.Body)
	}
	return card.JSON201.ID, nil
}

// sparse makes a file of a length that takes no room.
func sparse(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// surfaceFigures measures what a client's model is sent at every request: the tools, as they are listed.
func surfaceFigures(ctx context.Context, binary string, d *dashboardProcess) (_ []figure, err error) {
	cmd := mcpCommand(binary, d)
	cmd.Env = append(cmd.Env, "DANXBOT_EXTRA_TOOLS=attach_file")
	client, err := mcpclient.Start(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if _, err := client.Initialize(ctx, "bench"); err != nil {
		return nil, err
	}
	raw, err := client.Request(ctx, "tools/list", nil)
	if err != nil {
		return nil, err
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	text, err := json.Marshal(list.Tools)
	if err != nil {
		return nil, err
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, err
	}
	tokens, err := codec.Count(string(text))
	if err != nil {
		return nil, err
	}
	return []figure{{Name: "platform-mcp: all its tools as they are listed", Unit: "tokens", AtMost: 1500, Seen: float64(tokens),
		Details: fmt.Sprintf("%d tools, o200k", len(list.Tools))}}, nil
}
