/*
 * signin.c - one-time links and sessions, both as sealed values.
 *
 * Neither is stored: a value that opens with the right key is genuine. Only
 * which links were used is remembered, in memory, until they expire.
 */
#include "web/signin.h"

static const struct str for_links = STR_INIT("sign-in link");
static const struct str for_sessions = STR_INIT("page session");

/* The signed content of a session. */
struct session_seal {
	uint8_t nonce[REQUEST_STATE_NONCE];
	uint64_t made;
};

/* Not the token's own digest: that is on the disk. */
static void set_link_key(struct mac_key *key, struct str owner_token,
			 struct str server_id)
{
	auto_arena mem = ARENA_INIT;
	struct str text =
		arena_printf(&mem, "stet sign-in:" STR_FMT ":" STR_FMT,
			     STR_ARG(server_id), STR_ARG(owner_token));
	struct digest digest = digest_of(text);

	_Static_assert(MAC_KEY_BYTES == sizeof(digest.bytes), "one is one");
	secret_wipe(text);
	mac_key_set(key, digest.bytes);
}

void signin_open(struct signin *s, struct str owner_token, struct str server_id)
{
	request_state_issuer_open(&s->links, SIGNIN_LINK_MS);
	set_link_key(&s->links.key, owner_token, server_id);
}

void signin_close(struct signin *s)
{
	request_state_issuer_close(&s->links);
	mac_key_free(&s->sessions);
}

struct str signin_link(struct str owner_token, struct str server_id,
		       uint64_t now, struct arena *mem)
{
	struct request_state_issuer *issuer =
		arena_new(mem, struct request_state_issuer);
	struct request_state nothing = { .summary = STR("") };
	struct str link;

	set_link_key(&issuer->key, owner_token, server_id);
	link = request_state_make(issuer, &nothing, for_links, now, mem);
	request_state_issuer_close(issuer);
	return link;
}

enum signin_link signin_check(struct signin *s, struct str key, uint64_t now,
			      struct arena *mem)
{
	static const enum signin_link links[] = {
		[REQUEST_STATE_GOOD] = SIGNIN_GOOD,
		[REQUEST_STATE_USED] = SIGNIN_USED,
		[REQUEST_STATE_EXPIRED] = SIGNIN_EXPIRED,
		[REQUEST_STATE_UNKNOWN] = SIGNIN_UNKNOWN,
	};
	struct request_state ignored;

	return links[request_state_verify(&s->links, key, for_links, now, mem,
					  &ignored)];
}

struct str signin_new_link(struct signin *s, uint64_t now, struct arena *mem)
{
	struct request_state nothing = { .summary = STR("") };

	return request_state_make(&s->links, &nothing, for_links, now, mem);
}

struct str signin_session(struct signin *s, uint64_t now, struct arena *mem)
{
	struct session_seal session = { .made = now };

	secret_random(session.nonce, sizeof(session.nonce));
	return mac_sign(&s->sessions,
			str_make((const char *)&session, sizeof(session)),
			for_sessions, mem);
}

bool signin_session_ok(const struct signin *s, struct str session, uint64_t now,
		       struct arena *mem)
{
	struct session_seal seal;
	struct str bytes;

	if (!mac_verify(&s->sessions, session, for_sessions, mem, &bytes) ||
	    bytes.len != sizeof(seal))
		return false;
	memcpy(&seal, bytes.ptr, sizeof(seal));
	return now < seal.made + SIGNIN_SESSION_S * 1000ULL;
}
