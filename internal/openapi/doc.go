// SPDX-License-Identifier: Apache-2.0

// Package openapi is a lazy index over any OpenAPI document.
//
// It serves two sides of one contract. A server asks which operation a request
// is for ([Document.Match]), whether the request keeps the contract
// ([Operation.Check] with [Strict]), what the nearest routes of a wrong one are
// ([Document.Nearest]) and what the contract says about a few routes
// ([Document.Slice]). A client asks the same before it spends a network call,
// but only for what no newer server could see otherwise ([Courtesy]).
//
// # Laziness
//
// [Load] checks that the bytes are JSON and notes where each operation lies;
// it decodes nothing else, resolves no reference and compiles no schema. What
// an operation needs (its parameters, its body's schema) is decoded at its
// first use and kept. A document is therefore never refused for a defect in a
// part that nobody calls: bad examples, dangling references, regular
// expressions that Go cannot compile. Such a part is let through when it is
// met; [Document.Precompile] names all of them for those who want to know.
//
// # Where things are
//
// Package rawjson finds values in JSON text without decoding them, routes works
// on routes as text (match, nearest, safe paths, lists), schema compiles and
// words what is wrong. This package joins them to a document: its index
// (document.go, operation.go, ref.go), what a request may carry and how it is
// checked (inputs.go, params.go, check.go), and slices (slice.go chooses,
// assemble.go and rewrite.go write, component.go names and stubs).
//
// # What is understood
//
// JSON documents of OpenAPI 3.0, 3.1 and 3.2 with references inside the
// document. Habits of 3.0 inside a 3.1 document (nullable, boolean
// exclusiveMinimum) are understood too. A reference to another document is a
// named stub in a slice and allows everything in a check. A Swagger 2 document
// loads, lists and matches, but is not sliced.
//
// A [Document] is safe for concurrent use.
package openapi
