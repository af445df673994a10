#include "web/signin.h"

#include "web/credentials.h"

enum { MOST_COOKIES = 4 };

static const struct str before = STR_INIT("key=");
static const struct str for_links = STR_INIT("sign-in link");
static const struct str for_cookies = STR_INIT("cookie");

struct cookie {
	uint8_t nonce[STATE_NONCE];
	uint64_t made;
};

/* Not the token's own digest: that is on the disk. */
static struct seal_key key_of(struct str owner_token)
{
	auto_arena mem = ARENA_INIT;
	struct str text = arena_printf(&mem, "stet sign-in:" STR_FMT,
				       STR_ARG(owner_token));
	struct digest digest = digest_of(text);
	struct seal_key key;

	_Static_assert(sizeof(key.bytes) == sizeof(digest.bytes), "one is one");
	memcpy(key.bytes, digest.bytes, sizeof(key.bytes));
	return key;
}

void signin_open(struct signin *s, struct str owner_token, uint64_t now)
{
	state_book_open(&s->links, SIGNIN_LINK_MS);
	s->links.key = key_of(owner_token);
	s->links.floor = now;
	seal_key_new(&s->key);
}

struct str signin_link(struct str owner_token, uint64_t now, struct arena *mem)
{
	struct state_book *book = arena_new(mem, struct state_book);
	struct state nothing = { .summary = STR("") };
	struct str seal;

	book->key = key_of(owner_token);
	seal = state_make(book, &nothing, for_links, now, mem);
	return arena_printf(mem, STR_FMT STR_FMT, STR_ARG(before),
			    STR_ARG(seal));
}

bool signin_take(struct signin *s, struct str query, uint64_t now,
		 struct arena *mem)
{
	struct state ignored;

	return str_starts(query, before) &&
	       !state_take(&s->links, str_skip(query, before.len), for_links,
			   now, mem, &ignored);
}

struct str signin_cookie(const struct signin *s, uint64_t now,
			 struct arena *mem)
{
	struct cookie c = { .made = now };

	seal_random(c.nonce, sizeof(c.nonce));
	return seal_make(&s->key, str_make((const char *)&c, sizeof(c)),
			 for_cookies, mem);
}

static bool is_good(const struct signin *s, struct str value, uint64_t now,
		    struct arena *mem)
{
	struct cookie c;
	struct str bytes;

	if (!seal_open(&s->key, value, for_cookies, mem, &bytes) ||
	    bytes.len != sizeof(c))
		return false;
	memcpy(&c, bytes.ptr, sizeof(c));
	return now < c.made + SIGNIN_COOKIE_S * 1000ULL;
}

bool signin_known(const struct signin *s, struct str cookies, uint64_t now,
		  struct arena *mem, struct str *ret)
{
	struct str value;

	for (int i = 0; i < MOST_COOKIES; i++) {
		if (!credentials_cookie(&cookies, SIGNIN_COOKIE, &value))
			return false;
		if (is_good(s, value, now, mem)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

/* An empty seal is its mark alone: a keyed digest of what it is made for. */
static struct str csrf_context(struct str cookie, struct arena *mem)
{
	return arena_printf(mem, "csrf of " STR_FMT, STR_ARG(cookie));
}

struct str signin_csrf(const struct signin *s, struct str cookie,
		       struct arena *mem)
{
	return seal_make(&s->key, STR(""), csrf_context(cookie, mem), mem);
}

bool signin_csrf_ok(const struct signin *s, struct str cookie, struct str csrf,
		    struct arena *mem)
{
	struct str nothing;

	return seal_open(&s->key, csrf, csrf_context(cookie, mem), mem,
			 &nothing) &&
	       !nothing.len;
}
