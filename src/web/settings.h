/*
 * settings.h - interface to the person's settings, for the page.
 *
 * Implemented by the layer above (app/settings_watch).
 */
#ifndef STET_WEB_SETTINGS_H
#define STET_WEB_SETTINGS_H

#include "tools/permissions/rules.h"

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
	/* Has the file changed since the last check? Fast. */
	bool (*is_due)(void *ctx);
	/* After a change: apply the settings, or store the error for put(). */
	void (*renew)(void *ctx);
};

#endif
