// SPDX-License-Identifier: Apache-2.0

// Package platform is the repository's root: it embeds the contract, which only a package above it can, and holds the
// one list of what `go generate ./...` runs, in order. Everything under gen/ comes from these lines.
package platform

import _ "embed"

// OpenAPI is openapi.yaml as it is written.
//
//go:embed openapi.yaml
var OpenAPI []byte

//go:generate go run ./tools/specgen
//go:generate go tool -modfile=tools/pins/go.mod oapi-codegen -config tools/oapi/dash.yaml -o gen/dash/dash.gen.go gen/dash/codegen.json
//go:generate go tool -modfile=tools/pins/go.mod oapi-codegen -config tools/oapi/trace.yaml -o gen/trace/types.gen.go gen/trace/codegen.json
//go:generate go tool -modfile=tools/pins/go.mod oapi-codegen -config tools/oapi/mcptools.yaml -o gen/mcptools/types.gen.go gen/mcptools/tools.openapi.json
//go:generate go tool -modfile=tools/pins/go.mod sqlc generate -f internal/store/sqlstore/sqlc.yaml
//go:generate go tool -modfile=tools/pins/go.mod templ generate -path internal
//go:generate go run ./tools/webbuild
