// SPDX-License-Identifier: Apache-2.0

package cli

// Version is the release that this build belongs to, as major.minor.patch. platform-mcp compares it with what a
// dashboard asks for in X-Mcp-Min-Version.
const Version = "0.1.0"
