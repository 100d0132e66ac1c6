// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/testkit"
)

// The two folders of migrations make the same tables, columns, keys and indexes: both are held to one listing.
func TestBothEnginesHaveOneSchema(t *testing.T) {
	list := map[string]func(*testing.T, *sql.DB) []string{"sqlite": sqliteSchema, "postgres": postgresSchema}
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		write, _ := open(t, e.Fresh(t)).Pools()
		lines := list[e.Name](t, write)
		testkit.Golden(t, "testdata/schema.txt", []byte(strings.Join(lines, "\n")+"\n"))
	})
}

// Every table belongs to a team, but for the instance and the teams themselves.
func TestEveryTableHasATeam(t *testing.T) {
	write, _ := open(t, testkit.SQLite.Fresh(t)).Pools()
	without := rows(t, write, `SELECT name FROM pragma_table_list
		WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%'
		AND NOT EXISTS (SELECT 1 FROM pragma_table_info(pragma_table_list.name) AS c WHERE c.name = 'team_id') ORDER BY name`)
	if want := []string{"instance", "team"}; !slices.Equal(without, want) {
		t.Errorf("tables without a team: %q, want %q", without, want)
	}
}

func sqliteSchema(t *testing.T, db *sql.DB) []string {
	tables := `(SELECT name AS tbl FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%')`
	return inOrder(
		rows(t, db, `SELECT tbl || ' column ' || c.cid || ' ' || c.name || ' ' || lower(c.type) || CASE c."notnull" WHEN 1 THEN ' not null' ELSE '' END
			FROM `+tables+`, pragma_table_xinfo(tbl) AS c`),
		rows(t, db, `SELECT v.name || ' column ' || c.cid || ' ' || c.name || ' of a view' FROM pragma_table_list AS v, pragma_table_xinfo(v.name) AS c
			WHERE v.schema = 'main' AND v.type = 'view'`),
		rows(t, db, `SELECT tbl || ' primary key ' || group_concat(c.name, ', ' ORDER BY c.pk)
			FROM `+tables+`, pragma_table_info(tbl) AS c WHERE c.pk > 0 GROUP BY tbl`),
		rows(t, db, `SELECT tbl || ' index ' || i.name || CASE i."unique" WHEN 1 THEN ' unique' ELSE '' END || ' on ' || group_concat(c.name, ', ' ORDER BY c.seqno)
			FROM `+tables+`, pragma_index_list(tbl) AS i, pragma_index_info(i.name) AS c WHERE i.origin = 'c' GROUP BY tbl, i.name`),
		rows(t, db, `SELECT tbl || ' references ' || f."table" || ' from ' || group_concat(f."from", ', ' ORDER BY f.seq) || ' to ' || group_concat(f."to", ', ' ORDER BY f.seq) || ' on delete ' || lower(f.on_delete)
			FROM `+tables+`, pragma_foreign_key_list(tbl) AS f GROUP BY tbl, f.id`),
	)
}

func postgresSchema(t *testing.T, db *sql.DB) []string {
	columns := func(table, numbers string) string {
		return `(SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(` + numbers + `) WITH ORDINALITY AS k (num, n)
			JOIN pg_attribute AS a ON a.attrelid = ` + table + ` AND a.attnum = k.num)`
	}
	const ours = `n.nspname = current_schema() AND t.relname NOT LIKE 'goose%'`
	return inOrder(
		rows(t, db, `SELECT t.relname || ' column ' || (a.attnum - 1) || ' ' || a.attname || ' ' ||
				CASE format_type(a.atttypid, a.atttypmod) WHEN 'bigint' THEN 'integer' WHEN 'smallint' THEN 'integer' ELSE format_type(a.atttypid, a.atttypmod) END ||
				CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
			FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
			WHERE `+ours+` AND t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`),
		rows(t, db, `SELECT t.relname || ' column ' || (a.attnum - 1) || ' ' || a.attname || ' of a view'
			FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
			WHERE `+ours+` AND t.relkind = 'v' AND a.attnum > 0`),
		rows(t, db, `SELECT t.relname || CASE WHEN i.indisprimary THEN ' primary key '
				ELSE ' index ' || x.relname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END || ' on ' END || `+columns("t.oid", "i.indkey::int2[]")+`
			FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
			WHERE `+ours),
		rows(t, db, `SELECT t.relname || ' references ' || o.relname || ' from ' || `+columns("t.oid", "f.conkey")+` || ' to ' || `+columns("o.oid", "f.confkey")+` ||
				' on delete ' || CASE f.confdeltype WHEN 'a' THEN 'no action' ELSE f.confdeltype::text END
			FROM pg_constraint AS f JOIN pg_class AS t ON t.oid = f.conrelid JOIN pg_class AS o ON o.oid = f.confrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
			WHERE f.contype = 'f' AND `+ours),
	)
}

// rows are the rows of a query that answers one text.
func rows(t *testing.T, db *sql.DB, query string) (lines []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	defer found.Close()
	for found.Next() {
		var line string
		if err := found.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// inOrder puts the columns of a table where they stand in it.
func inOrder(parts ...[]string) []string {
	lines := slices.Concat(parts...)
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(position(a), position(b)) })
	return lines
}

func position(line string) string {
	words := strings.SplitN(line, " ", 4)
	if words[1] == "column" {
		words[2] = fmt.Sprintf("%3s", words[2])
	}
	return strings.Join(words, " ")
}
