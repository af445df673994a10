/* Links and sessions, both as seals: nothing is kept but which links are used. */

#include "web/signin.h"

static const struct str for_links = STR_INIT("sign-in link");
static const struct str for_sessions = STR_INIT("page session");

/* What is sealed in a session. */
struct session_seal {
	uint8_t nonce[STATE_NONCE];
	uint64_t made;
};

/* Not the token's own digest: that is on the disk. */
static void set_link_key(struct seal_key *key, struct str owner_token,
			 struct str server_id)
{
	auto_arena mem = ARENA_INIT;
	struct str text =
		arena_printf(&mem, "stet sign-in:" STR_FMT ":" STR_FMT,
			     STR_ARG(server_id), STR_ARG(owner_token));
	struct digest digest = digest_of(text);

	_Static_assert(SEAL_KEY == sizeof(digest.bytes), "one is one");
	seal_wipe(text);
	seal_key_set(key, digest.bytes);
}

void signin_open(struct signin *s, struct str owner_token, struct str server_id)
{
	state_book_open(&s->links, SIGNIN_LINK_MS);
	set_link_key(&s->links.key, owner_token, server_id);
}

void signin_close(struct signin *s)
{
	state_book_close(&s->links);
	seal_key_forget(&s->sessions);
}

struct str signin_link(struct str owner_token, struct str server_id,
		       uint64_t now, struct arena *mem)
{
	struct state_book *book = arena_new(mem, struct state_book);
	struct state nothing = { .summary = STR("") };
	struct str link;

	set_link_key(&book->key, owner_token, server_id);
	link = state_make(book, &nothing, for_links, now, mem);
	state_book_close(book);
	return link;
}

enum signin_link signin_judge(struct signin *s, struct str key, uint64_t now,
			      struct arena *mem)
{
	static const enum signin_link links[] = {
		[STATE_GOOD] = SIGNIN_GOOD,
		[STATE_USED] = SIGNIN_USED,
		[STATE_EXPIRED] = SIGNIN_EXPIRED,
		[STATE_UNKNOWN] = SIGNIN_UNKNOWN,
	};
	struct state ignored;

	return links[state_judge(&s->links, key, for_links, now, mem,
				 &ignored)];
}

struct str signin_another(struct signin *s, uint64_t now, struct arena *mem)
{
	struct state nothing = { .summary = STR("") };

	return state_make(&s->links, &nothing, for_links, now, mem);
}

struct str signin_session(struct signin *s, uint64_t now, struct arena *mem)
{
	struct session_seal session = { .made = now };

	seal_random(session.nonce, sizeof(session.nonce));
	return seal_make(&s->sessions,
			 str_make((const char *)&session, sizeof(session)),
			 for_sessions, mem);
}

bool signin_known(const struct signin *s, struct str session, uint64_t now,
		  struct arena *mem)
{
	struct session_seal seal;
	struct str bytes;

	if (!seal_open(&s->sessions, session, for_sessions, mem, &bytes) ||
	    bytes.len != sizeof(seal))
		return false;
	memcpy(&seal, bytes.ptr, sizeof(seal));
	return now < seal.made + SIGNIN_SESSION_S * 1000ULL;
}
