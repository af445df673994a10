/*
 * settings.h - what the page needs of the person's settings, which belong to
 * the layer above: declared here, filled in there (app/settings_now).
 */
#ifndef STET_WEB_SETTINGS_H
#define STET_WEB_SETTINGS_H

#include "tools/rules.h"

/* All but is_due() may be called from any thread, and may take their time. */
struct settings_source {
	void *ctx;
	/* Members of an object: the file, where mode, roots and hooks are from. */
	void (*put)(void *ctx, struct json_out *o, struct arena *mem);
	/* Is @rule in the file that change() changes? */
	bool (*is_own)(void *ctx, const struct rule *rule);
	/* Add or remove a rule in the file; it counts from the next call on. */
	enum err (*change)(void *ctx, bool remove, enum verdict verdict,
			   struct str rule, struct arena *mem, struct fault *f);
	/* Has the file changed since it was last looked at? Quick. */
	bool (*is_due)(void *ctx);
	/* Then: take over what is in it, or keep why not for put(). */
	void (*renew)(void *ctx);
};

#endif
