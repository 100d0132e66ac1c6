// SPDX-License-Identifier: Apache-2.0

package recordings

// The cases of what is kept as bytes: the files of cards, their thumbnails, and the images that texts show.
var fileCases = []Case{
	{"listAttachments", "list", 200, script(mend, attach, cover, "GET /api/issues/SHOP-1/attachments?board=1")},
	{"listAttachments", "not_found", 404, script("GET /api/issues/SHOP-9/attachments?board=1")},
	{"addAttachment", "added", 201, script(mend, attach)},
	{"addAttachment", "cover", 201, script(mend, cover)},
	{"addAttachment", "idempotency_key_reused", 409, script(mend, "once "+attach, "once "+attach+" More of it.")},
	{"addAttachment", "not_an_image", 422, script(mend, "POST /api/issues/SHOP-1/attachments?board=1&filename=notes.md&primary=true # Notes")},
	{"downloadAttachment", "file", 200, script(mend, attach, "GET /api/issues/SHOP-1/attachments/{file}?board=1")},
	{"downloadAttachment", "not_found", 404, script(mend, "GET /api/issues/SHOP-1/attachments/"+noID+"?board=1")},
	{"replaceAttachment", "replaced", 200, script(mend, attach, "PUT /api/issues/SHOP-1/attachments/{file}?board=1&filename=plan.md # Plan")},
	{"replaceAttachment", "cover", 200, script(mend, attach, "PUT /api/issues/SHOP-1/attachments/{file}?board=1&filename=shot.png&primary=true "+pixel)},
	{"replaceAttachment", "not_found", 404, script(mend, "PUT /api/issues/SHOP-1/attachments/"+noID+"?board=1 # Plan")},
	{"replaceAttachment", "not_an_image", 422, script(mend, cover, "PUT /api/issues/SHOP-1/attachments/{file}?board=1 # Plan")},
	{"editAttachment", "cover_no_more", 200, script(mend, cover, `PATCH /api/issues/SHOP-1/attachments/{file}?board=1 {"is_primary":false}`)},
	{"editAttachment", "not_an_image", 422, script(mend, attach, `PATCH /api/issues/SHOP-1/attachments/{file}?board=1 {"is_primary":true}`)},
	{"removeAttachment", "removed", 204, script(mend, cover, "DELETE /api/issues/SHOP-1/attachments/{file}?board=1")},
	{"removeAttachment", "not_found", 404, script(mend, "DELETE /api/issues/SHOP-1/attachments/"+noID+"?board=1")},
	{"getThumbnail", "picture", 200, script(mend, cover, "GET /api/issues/SHOP-1/attachments/{file}/thumbnail?board=1")},
	{"getThumbnail", "not_found", 404, script(mend, attach, "GET /api/issues/SHOP-1/attachments/{file}/thumbnail?board=1")},
	{"getIssue", "cover", 200, script(mend, cover, "GET /api/issues/SHOP-1?board=1")},

	{"uploadImage", "uploaded", 201, script("POST /api/uploads/images?filename=shot.png " + pixel)},
	{"uploadImage", "not_an_image", 422, script(`POST /api/uploads/images?filename=drawing.svg <svg xmlns="http://www.w3.org/2000/svg"/>`)},
	{"getImage", "image", 200, script("POST /api/uploads/images "+pixel, "GET {image}")},
	{"getImage", "not_found", 404, script("GET /api/uploads/images/" + noID)},
}
