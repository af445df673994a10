/*
 * credentials.c - parse the Authorization header. Pure: text in, text out.
 */
#include "web/credentials.h"

#include <strings.h>

static bool is_visible(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
			return false;
	return true;
}

bool credentials_bearer(struct str authorization, struct str *ret)
{
	static const char scheme[] = "Bearer";
	const size_t len = sizeof(scheme) - 1;
	struct str rest = str_skip(authorization, len);

	if (authorization.len < len ||
	    strncasecmp(authorization.ptr, scheme, len) != 0 ||
	    (rest.len && rest.ptr[0] != ' '))
		return false;
	while (rest.len && rest.ptr[0] == ' ')
		rest = str_skip(rest, 1);
	*ret = is_visible(rest) ? rest : STR("");
	return true;
}
