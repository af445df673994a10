#include "tools/textfile.h"

static struct str version_text(struct call *c, struct hash version)
{
	char hex[HASH_HEX + 1];

	hash_hex(version, hex);
	return arena_copy(c->mem, str_of(hex));
}

enum err textfile_guard(struct call *c, struct str path,
			const struct snapshot *snap)
{
	struct hash want;

	c->seen = (struct seen){ path, snap->bytes };
	if (!c->guard.if_version.len)
		return ERR_OK;
	if (hash_parse(c->guard.if_version, &want) &&
	    hash_eq(want, snap->version))
		return ERR_OK;
	return fail(c->fault, ERR_CHANGED, .path = path,
		    .version = version_text(c, snap->version));
}

enum err textfile_load(struct call *c, struct str path, enum err binary,
		       struct textfile *ret)
{
	enum err e;

	e = ws_load(c->ws, path, c->options->max_file, &c->errand, c->mem,
		    &ret->snap, c->fault);
	if (e)
		return e;
	e = textfile_guard(c, path, &ret->snap);
	if (e)
		return e;
	if (encoding_detect(ret->snap.bytes, &ret->encoding) ||
	    encoding_decode(ret->encoding, ret->snap.bytes, c->mem, &ret->text))
		return fail(c->fault, binary, .path = path);
	return ERR_OK;
}

const struct field file_meta_fields[] = {
	{ "version", FIELD_STR, .required = true,
	  .offset = offsetof(struct file_meta, version),
	  .doc = "Of the file's content; may be given as if_version" },
	{ "encoding", FIELD_STR, .offset = offsetof(struct file_meta, encoding),
	  .doc = "Of the file" },
	{ "eol", FIELD_STR, .offset = offsetof(struct file_meta, eol),
	  .doc = "The line ending that the content was given to keep the file's own" },
	{ "source", FIELD_STR, .offset = offsetof(struct file_meta, source),
	  .doc = "Who served it" },
	{ "kept", FIELD_STR, .offset = offsetof(struct file_meta, kept),
	  .doc = "What the file had beyond a new one, and still has, joined by commas: owner, group, mode (set-ID and sticky bits), acl, xattr, links" },
	{ "lost", FIELD_STR, .offset = offsetof(struct file_meta, lost),
	  .doc = "What of the file's metadata could not be kept: the same words, and capability" },
	{ "diff_cut", FIELD_BOOL,
	  .offset = offsetof(struct file_meta, diff_cut),
	  .doc = "The diff was too long for one reply and ends early" },
	FIELDS_END,
};

void file_meta_fill(struct call *c, struct hash version,
		    const struct encoding *encoding, struct file_meta *ret)
{
	ret->version = version_text(c, version);
	ret->encoding = str_of(encoding->name);
	ret->source = str_of(c->ws->source);
}
