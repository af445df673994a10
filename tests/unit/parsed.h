/*
 * parsed.h - a JSON text as a value, for tests: it must be one.
 */
#ifndef STET_PARSED_H
#define STET_PARSED_H

#include "unit.h"

#include "base/json.h"

static inline struct json parsed(struct str text, struct arena *mem)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json v;

	assert_int_equal(json_parse(text, &limits, mem, &v, &error), ERR_OK);
	return v;
}

#endif
