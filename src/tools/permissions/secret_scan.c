/*
 * secret_scan.c - recognizes keys and tokens by their prefix.
 *
 * Pure. No entropy test: a false alarm would refuse an ordinary entry.
 */
#include "tools/permissions/secret_scan.h"

#include <ctype.h>

/* In two parts, so that secret scanners do not report this file. */
#define BEGIN "-----BEGIN "

/* The prefix of a secret, and how many word characters must follow. */
static const struct {
	const char *start;
	size_t more;
	const char *what;
} kinds[] = {
	{ BEGIN "PRIVATE KEY-----", 0, "a private key" },
	{ BEGIN "RSA PRIVATE KEY-----", 0, "a private key" },
	{ BEGIN "EC PRIVATE KEY-----", 0, "a private key" },
	{ BEGIN "OPENSSH PRIVATE KEY-----", 0, "a private key" },
	{ BEGIN "ENCRYPTED PRIVATE KEY-----", 0, "a private key" },
	{ "AKIA", 16, "an AWS access key" },
	{ "ghp_", 36, "a GitHub token" },
	{ "gho_", 36, "a GitHub token" },
	{ "ghs_", 36, "a GitHub token" },
	{ "github_pat_", 22, "a GitHub token" },
	{ "glpat-", 20, "a GitLab token" },
	{ "xoxb-", 20, "a Slack token" },
	{ "xoxp-", 20, "a Slack token" },
	{ "sk-", 32, "an API key" },
	{ "sk_live_", 16, "an API key" },
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static size_t word_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && is_word(s.ptr[n]))
		n++;
	return n;
}

/* The kind of secret that starts here, or NULL. */
static const char *secret_at(struct str s)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct str start = str_of(kinds[i].start);

		if (str_starts(s, start) &&
		    word_length(str_skip(s, start.len)) >= kinds[i].more)
			return kinds[i].what;
	}
	return NULL;
}

const char *secret_scan(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		/* A key does not begin in the middle of a word. */
		if (i && isalnum((unsigned char)text.ptr[i - 1]))
			continue;
		if (secret_at(str_skip(text, i)))
			return secret_at(str_skip(text, i));
	}
	return NULL;
}
