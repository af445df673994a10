#include "web/credentials.h"

#include <strings.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

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

static struct str trimmed(struct str s)
{
	while (s.len && is_blank(s.ptr[0]))
		s = str_skip(s, 1);
	while (s.len && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

bool credentials_cookie(struct str *rest, const char *name, struct str *ret)
{
	struct str part;

	while (rest->len && str_split(rest, ';', &part)) {
		size_t equals = str_find(part, '=');

		if (equals == part.len ||
		    !str_is(trimmed(str_head(part, equals)), name))
			continue;
		*ret = trimmed(str_skip(part, equals + 1));
		return true;
	}
	return false;
}
