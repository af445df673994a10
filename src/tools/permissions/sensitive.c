/*
 * sensitive.c - the table of sensitive paths, and the search in it.
 *
 * Every change of a file is held against all rows and every read against those
 * with secrets. So the patterns are taken apart at compile time (a test
 * compares that with ignore_parse_line()), and the first or last letter of a
 * name leads to the few rows that it may match.
 */
#include "tools/permissions/sensitive.h"

#include "files/path.h"
#include "text/display/caseless.h"
#include "text/pattern/glob.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WIDE = GLOB_CASELESS | GLOB_FAIL_CLOSED };

/*
 * The parts of a row beside its pattern: for which tools it asks (all, or those
 * that change files), the reason, and endings of public files, which are read
 * without asking.
 */
#define TOOLS_SECRET    "*"
#define TOOLS_SETTINGS  "*"
#define TOOLS_KEYS      "*"
#define TOOLS_RUNS_KEYS "*"
#define TOOLS_RUNS      "write"
#define TOOLS_ACCESS    "write"

#define ABOUT_SECRET    .kind = SENSITIVE_SECRET, .reads = true
#define ABOUT_SETTINGS  ABOUT_SECRET, .open = templates
#define ABOUT_KEYS      .kind = SENSITIVE_ACCESS, .reads = true, .open = public_keys
#define ABOUT_RUNS_KEYS .kind = SENSITIVE_RUNS, .reads = true
#define ABOUT_RUNS      .kind = SENSITIVE_RUNS
#define ABOUT_ACCESS    .kind = SENSITIVE_ACCESS

static const char *const templates[] = { ".example", ".sample", ".template",
					 ".dist", NULL };
static const char *const public_keys[] = { ".pub", NULL };

#define ROW(text_, literal_, only_name_, scope_, about_, reason_)         \
	{                                                                 \
		.rule = { .verdict = VERDICT_ASK,                         \
			  .tool = STR_INIT(TOOLS_##about_),               \
			  .path = STR_INIT(text_),                        \
			  .glob.pattern = STR_INIT(text_),                \
			  .glob.literal = (literal_),                     \
			  .glob.only_name = (only_name_),                 \
			  .text = STR_INIT(TOOLS_##about_ "(" text_ ")"), \
			  .origin = STR_INIT("built in") },               \
		.scope = SENSITIVE_##scope_, .reason = (reason_),         \
		ABOUT_##about_,                                           \
	}
#define NAME(n, kind, why)  ROW(n, sizeof(n) - 1, true, ANYWHERE, kind, why)
#define LAST(n, kind, why)  ROW(n, sizeof(n) - 1, true, LAST, kind, why)
#define BELOW(n, kind, why) ROW("**/" n, 0, false, ANYWHERE, kind, why)
#define STARTS(n, kind, why) \
	ROW(n "*", sizeof(n) - 1, true, ANYWHERE, kind, why)
#define PREFIX(n, kind, why) ROW(n "*", sizeof(n) - 1, true, BENEATH, kind, why)
#define WITHIN(n, kind, why) ROW(n, sizeof(n) - 1, true, BENEATH, kind, why)
#define ENDS(n, kind, why)   ROW("*" n, 0, true, BENEATH, kind, why)
#define HOLDS(n, kind, why)  ROW("*" n "*", 0, true, BENEATH, kind, why)

const struct sensitive sensitive_rows[] = {
	/* secrets */
	PREFIX(".env", SETTINGS, "environment files hold passwords and keys"),
	ENDS(".env", SECRET, "environment files hold passwords and keys"),
	ENDS(".pem", SECRET, "keys and certificates"),
	ENDS(".key", SECRET, "private keys"),
	ENDS(".ppk", SECRET, "a private key of PuTTY"),
	ENDS(".p12", SECRET, "keys and certificates"),
	ENDS(".pfx", SECRET, "keys and certificates"),
	ENDS(".jks", SECRET, "a key store of Java"),
	ENDS(".keystore", SECRET, "a key store"),
	ENDS(".kdbx", SECRET, "a password store of KeePass"),
	HOLDS("secret", SECRET, "its name says so"),
	HOLDS("credential", SECRET, "its name says so"),
	NAME(".netrc", SECRET, "passwords for curl, git and others"),
	NAME("_netrc", SECRET, "passwords for curl, git and others"),
	NAME(".pgpass", SECRET, "passwords of PostgreSQL"),
	NAME(".my.cnf", SECRET, "passwords of MySQL"),
	NAME(".mylogin.cnf", SECRET, "passwords of MySQL"),
	NAME(".git-credentials", SECRET, "passwords for git"),
	NAME(".password-store", SECRET, "the password store of pass"),
	NAME(".vault-token", SECRET, "a token of Vault"),
	NAME(".htpasswd", SECRET, "passwords of a web server"),
	NAME(".pypirc", SECRET, "tokens of Python's package index"),
	NAME(".aws", SECRET,
	     "credentials of AWS, and programs that fetch them"),
	NAME(".azure", SECRET, "credentials of Azure"),
	NAME(".oci", SECRET, "credentials of Oracle Cloud"),
	NAME(".boto", SECRET, "credentials of Google Cloud and AWS"),
	NAME(".s3cfg", SECRET, "credentials of S3"),
	NAME(".terraformrc", SECRET,
	     "credentials of Terraform, and its plugins"),
	NAME(".terraform.d", SECRET,
	     "credentials of Terraform, and its plugins"),
	BELOW(".config/gcloud", SECRET, "credentials of Google Cloud"),
	BELOW(".config/gh", SECRET, "tokens of GitHub, and aliases that run"),
	BELOW(".config/glab-cli", SECRET, "tokens of GitLab"),
	BELOW(".config/hub", SECRET, "tokens of GitHub"),
	BELOW(".config/doctl", SECRET, "tokens of DigitalOcean"),
	BELOW(".config/rclone", SECRET, "credentials of rclone"),
	BELOW(".config/op", SECRET, "settings of 1Password"),
	BELOW(".kube/config", SECRET, "credentials of clusters, and programs"),
	BELOW(".docker/config.json", SECRET, "passwords of registries"),
	BELOW(".m2/settings.xml", SECRET, "passwords of Maven"),
	BELOW(".local/share/keyrings", SECRET, "the keyring of the desktop"),
	BELOW(".codex/auth.json", SECRET, "tokens of Codex"),
	BELOW(".gemini/oauth_creds.json", SECRET, "tokens of Gemini"),
	/* access and authentication */
	NAME(".ssh", KEYS, "keys, and who may log in"),
	NAME(".gnupg", KEYS, "keys, and whom to trust"),
	STARTS("id_rsa", KEYS, "a key of SSH"),
	STARTS("id_dsa", KEYS, "a key of SSH"),
	STARTS("id_ecdsa", KEYS, "a key of SSH"),
	STARTS("id_ed25519", KEYS, "a key of SSH"),
	NAME("authorized_keys", ACCESS, "who may log in by SSH"),
	NAME("known_hosts", ACCESS, "which machines SSH trusts"),
	NAME(".rhosts", ACCESS, "who may log in"),
	NAME(".shosts", ACCESS, "who may log in"),
	NAME(".k5login", ACCESS, "who may log in"),
	NAME("sudoers", ACCESS, "who may become root"),
	NAME("sudoers.d", ACCESS, "who may become root"),
	NAME("pam.d", ACCESS, "who may log in"),
	/* git */
	NAME(".git", RUNS, "hooks, and settings that run commands"),
	ENDS(".git", RUNS, "a bare repository: hooks and settings"),
	LAST("HEAD", RUNS,
	     "makes a directory a repository, whose settings run"),
	NAME(".gitconfig", RUNS,
	     "git runs aliases, filters and pagers from it"),
	BELOW(".config/git", RUNS,
	      "git runs aliases, filters and pagers from it"),
	NAME(".gitmodules", RUNS, "where git fetches code from, and how"),
	NAME(".lfsconfig", ACCESS, "where git sends large files and passwords"),
	NAME(".husky", RUNS, "git hooks"),
	NAME(".githooks", RUNS, "git hooks"),
	STARTS(".pre-commit-", RUNS, "commands that git hooks run"),
	STARTS(".lefthook", RUNS, "commands that git hooks run"),
	NAME("lefthook.yml", RUNS, "commands that git hooks run"),
	NAME(".hgrc", RUNS, "Mercurial runs hooks and aliases from it"),
	BELOW(".hg/hgrc", RUNS, "Mercurial runs hooks and aliases from it"),
	/* agents and editors */
	NAME(".mcp.json", RUNS, "servers that agents start"),
	BELOW(".claude/settings*.json", RUNS,
	      "hooks and permissions of Claude"),
	BELOW(".claude/hooks", RUNS, "hooks of Claude"),
	NAME(".claude.json", RUNS_KEYS,
	     "servers, permissions and keys of Claude"),
	STARTS("claude_desktop_config", RUNS_KEYS,
	       "servers that Claude starts, and their keys"),
	WITHIN(".cursor", RUNS, "servers, hooks and rules of Cursor"),
	WITHIN(".codex", RUNS, "servers and permissions of Codex"),
	WITHIN(".gemini", RUNS, "servers and permissions of Gemini"),
	WITHIN(".windsurf", RUNS, "servers and rules of Windsurf"),
	WITHIN(".codeium", RUNS, "servers and rules of Windsurf"),
	WITHIN(".continue", RUNS, "servers and settings of Continue"),
	WITHIN(".roo", RUNS, "servers and modes of Roo Code"),
	WITHIN(".kiro", RUNS, "servers and hooks of Kiro"),
	WITHIN(".amazonq", RUNS, "servers and agents of Amazon Q"),
	WITHIN(".opencode", RUNS, "commands and plugins of opencode"),
	STARTS("opencode.json", RUNS, "servers and permissions of opencode"),
	STARTS(".aider", RUNS_KEYS, "commands and keys of aider"),
	WITHIN(".goose", RUNS, "extensions of Goose"),
	BELOW(".config/goose", RUNS, "extensions of Goose"),
	BELOW(".vscode/tasks.json", RUNS, "commands that VS Code runs"),
	BELOW(".vscode/settings.json", RUNS, "programs that VS Code starts"),
	BELOW(".vscode/launch.json", RUNS, "commands that VS Code runs"),
	BELOW(".vscode/mcp.json", RUNS, "servers that VS Code starts"),
	ENDS(".code-workspace", RUNS, "tasks and settings of VS Code"),
	NAME(".devcontainer", RUNS, "commands that a container starts with"),
	STARTS(".devcontainer.json", RUNS, "commands a container starts with"),
	NAME(".idea", RUNS, "run configurations and tools of JetBrains"),
	NAME(".run", RUNS, "run configurations of JetBrains"),
	NAME(".fleet", RUNS, "run configurations of JetBrains"),
	NAME(".zed", RUNS, "tasks and servers of Zed"),
	BELOW(".config/zed", RUNS, "tasks and servers of Zed"),
	NAME(".vimrc", RUNS, "Vim runs it"),
	NAME(".exrc", RUNS, "Vim runs it"),
	NAME(".nvimrc", RUNS, "Neovim runs it"),
	NAME(".nvim.lua", RUNS, "Neovim runs it"),
	BELOW(".config/nvim", RUNS, "Neovim runs it"),
	NAME(".emacs", RUNS, "Emacs runs it"),
	NAME(".emacs.d", RUNS, "Emacs runs it"),
	NAME(".dir-locals.el", RUNS, "Emacs runs it"),
	/* shells and logins */
	NAME(".bash_profile", RUNS, "the shell runs it at login"),
	NAME(".bash_login", RUNS, "the shell runs it at login"),
	NAME(".bash_logout", RUNS, "the shell runs it at logout"),
	NAME(".bash_aliases", RUNS, "the shell runs it"),
	NAME(".bashrc", RUNS, "the shell runs it"),
	NAME(".profile", RUNS, "the shell runs it at login"),
	NAME(".zshrc", RUNS, "the shell runs it"),
	NAME(".zshenv", RUNS, "the shell runs it"),
	NAME(".zprofile", RUNS, "the shell runs it at login"),
	NAME(".zlogin", RUNS, "the shell runs it at login"),
	NAME(".zlogout", RUNS, "the shell runs it at logout"),
	NAME(".cshrc", RUNS, "the shell runs it"),
	NAME(".tcshrc", RUNS, "the shell runs it"),
	NAME(".kshrc", RUNS, "the shell runs it"),
	NAME(".login", RUNS, "the shell runs it at login"),
	NAME(".logout", RUNS, "the shell runs it at logout"),
	NAME(".inputrc", RUNS, "what keys do in a shell"),
	NAME(".xprofile", RUNS, "run at login"),
	NAME(".xinitrc", RUNS, "run at login"),
	NAME(".xsession", RUNS, "run at login"),
	NAME(".xsessionrc", RUNS, "run at login"),
	NAME(".pam_environment", RUNS, "the environment of every login"),
	NAME(".tmux.conf", RUNS, "tmux runs commands from it"),
	NAME(".screenrc", RUNS, "screen runs commands from it"),
	NAME("config.fish", RUNS, "the shell runs it"),
	BELOW(".config/fish", RUNS, "the shell runs it"),
	NAME("profile.d", RUNS, "the shell runs it at login"),
	BELOW(".local/bin", RUNS, "programs on the PATH"),
	/* executed automatically */
	BELOW("systemd/user", RUNS, "units of the user"),
	BELOW("systemd/system", RUNS, "units of the system"),
	BELOW(".config/autostart", RUNS, "run at login"),
	BELOW("Library/LaunchAgents", RUNS, "run at login"),
	BELOW(".config/environment.d", RUNS, "the environment of every login"),
	NAME("init.d", RUNS, "run when the machine starts"),
	NAME("crontab", RUNS, "run at set times"),
	NAME("cron.d", RUNS, "run at set times"),
	BELOW("spool/cron", RUNS, "run at set times"),
	/* builds */
	NAME(".npmrc", RUNS_KEYS, "tokens, and which scripts npm runs"),
	STARTS(".yarnrc", RUNS_KEYS,
	       "plugins, tokens and the yarn that is run"),
	BELOW(".yarn/releases", RUNS, "the yarn that is run"),
	BELOW(".yarn/plugins", RUNS, "plugins of yarn"),
	STARTS(".pnpmfile", RUNS, "pnpm runs it"),
	NAME("bunfig.toml", RUNS, "what bun runs before all else"),
	NAME(".envrc", RUNS_KEYS, "direnv runs it, and it holds keys"),
	NAME("pip.conf", RUNS_KEYS,
	     "where Python's packages come from, and passwords"),
	BELOW(".config/pip", RUNS_KEYS,
	      "where Python's packages come from, and passwords"),
	NAME(".pydistutils.cfg", RUNS, "where Python's packages come from"),
	NAME("sitecustomize.py", RUNS, "Python runs it at every start"),
	NAME("usercustomize.py", RUNS, "Python runs it at every start"),
	BELOW(".cargo/config", RUNS, "programs that cargo runs"),
	BELOW(".cargo/config.toml", RUNS, "programs that cargo runs"),
	NAME(".gemrc", RUNS_KEYS,
	     "where Ruby's packages come from, and passwords"),
	BELOW(".bundle/config", RUNS_KEYS,
	      "where Ruby's packages come from, and passwords"),
	BELOW(".gradle/init.d", RUNS, "Gradle runs it in every build"),
	BELOW(".gradle/init.gradle", RUNS, "Gradle runs it in every build"),
	BELOW(".gradle/gradle.properties", RUNS_KEYS,
	      "passwords and JVM options"),
	NAME(".mvn", RUNS, "extensions and JVM options of Maven"),
	NAME(".gdbinit", RUNS, "gdb runs it"),
	NAME(".lldbinit", RUNS, "lldb runs it"),
	NAME(".curlrc", RUNS_KEYS, "options of every curl, and passwords"),
	NAME(".wgetrc", RUNS_KEYS, "options of every wget, and passwords"),
	/* build servers */
	BELOW(".github/workflows", RUNS, "the build server runs it"),
	BELOW(".github/actions", RUNS, "the build server runs it"),
	BELOW(".forgejo/workflows", RUNS, "the build server runs it"),
	BELOW(".gitea/workflows", RUNS, "the build server runs it"),
	STARTS(".gitlab-ci", RUNS, "the build server runs it"),
	NAME(".circleci", RUNS, "the build server runs it"),
	NAME(".buildkite", RUNS, "the build server runs it"),
	STARTS(".woodpecker", RUNS, "the build server runs it"),
	NAME(".travis.yml", RUNS, "the build server runs it"),
	NAME(".drone.yml", RUNS, "the build server runs it"),
	NAME(".cirrus.yml", RUNS, "the build server runs it"),
	STARTS("Jenkinsfile", RUNS, "the build server runs it"),
	STARTS("azure-pipelines", RUNS, "the build server runs it"),
	STARTS("bitbucket-pipelines", RUNS, "the build server runs it"),
	NAME("appveyor.yml", RUNS, "the build server runs it"),
	/* what keeps agents off files */
	NAME(".stetignore", ACCESS, "what agents leave alone"),
	NAME(".claudeignore", ACCESS, "what agents leave alone"),
	NAME(".cursorignore", ACCESS, "what agents leave alone"),
	NAME(".aiexclude", ACCESS, "what agents leave alone"),
};
const size_t sensitive_count = COUNT_OF(sensitive_rows);

const char *sensitive_kind_name(enum sensitive_kind kind)
{
	static const char *const names[] = { "secret", "runs code",
					     "gives access" };

	return names[kind];
}

const char *sensitive_scope_name(enum sensitive_scope scope)
{
	static const char *const names[] = { "anywhere", "beneath", "last" };

	return names[scope];
}

/*
 * Rows by the letters of the names that may fit them, made at the first use:
 * a call looks only at the rows for the names in its path. One for changes has
 * all rows, one for reads those that are asked for then.
 */
enum { NO_ROW = 0 }; /* rows are counted from 1 here */

struct row_index {
	unsigned char by_start[UCHAR_MAX + 1]; /* patterns that start with it */
	unsigned char by_end[UCHAR_MAX + 1];   /* "*" and then what ends so */
	unsigned char by_middle;               /* "*" at both ends */
	unsigned char next[COUNT_OF(sensitive_rows) + 1];
};

_Static_assert(COUNT_OF(sensitive_rows) < UCHAR_MAX, "a row is a byte");

static struct row_index for_changes, for_reads;
static pthread_once_t row_index_once = PTHREAD_ONCE_INIT;

static unsigned char row_lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* A name by its first letter: of ".git" the "g", marked. */
static unsigned char start_of(struct str name)
{
	if (name.len > 1 && name.ptr[0] == '.')
		return row_lower(name.ptr[1]) | 0x80;
	return row_lower(name.ptr[0]);
}

static unsigned char end_of(struct str name)
{
	return row_lower(name.ptr[name.len - 1]);
}

static bool has_star_at_end(struct str pattern)
{
	return pattern.ptr[pattern.len - 1] == '*';
}

/* "**" and a slash stand before the names of a pattern with several. */
static struct str names_of(const struct ignore_rule *glob)
{
	return glob->only_name ? glob->pattern : str_skip(glob->pattern, 3);
}

static unsigned char *row_list(struct row_index *index,
			       const struct ignore_rule *glob)
{
	struct str names = names_of(glob);

	if (glob->literal || !glob->only_name)
		return &index->by_start[start_of(names)];
	return has_star_at_end(names) ? &index->by_middle
				      : &index->by_end[end_of(names)];
}

static void add_row(struct row_index *index, size_t i)
{
	unsigned char *list = row_list(index, &sensitive_rows[i - 1].rule.glob);

	index->next[i] = *list;
	*list = (unsigned char)i;
}

/* From the last row to the first, so that the first comes first. */
static void make_row_indexes(void)
{
	for (size_t i = sensitive_count; i > 0; i--) {
		add_row(&for_changes, i);
		if (sensitive_rows[i - 1].reads)
			add_row(&for_reads, i);
	}
}

static bool name_holds(struct str name, struct str part)
{
	for (; name.len >= part.len; name = str_skip(name, 1))
		if (row_lower(name.ptr[0]) == row_lower(part.ptr[0]) &&
		    caseless_eq(str_head(name, part.len), part))
			return true;
	return false;
}

/* What glob_match() says of these simple patterns, without case. */
static bool fits_name(const struct ignore_rule *glob, struct str name)
{
	struct str pattern = glob->pattern;
	bool more = has_star_at_end(pattern);

	if (more)
		pattern.len--;
	if (!glob->literal) {
		pattern = str_skip(pattern, 1);
		if (more)
			return name_holds(name, pattern);
		return name.len >= pattern.len &&
		       caseless_eq(str_skip(name, name.len - pattern.len),
				   pattern);
	}
	if (more)
		name = str_head(name, pattern.len);
	return caseless_eq(name, pattern);
}

/* Several names: the first of them is plain, and mostly another one. */
static bool fits_names(const struct ignore_rule *glob, struct str name,
		       struct str whole)
{
	struct str names = names_of(glob);

	return caseless_eq(name, str_head(names, str_find(names, '/'))) &&
	       rule_fits_within(glob, whole, false, WIDE, NULL);
}

/* One component of a path, and its position. */
struct path_name {
	struct str name, whole;
	bool last, beneath; /* the last component; below the base */
};

static bool is_in_scope(enum sensitive_scope scope, const struct path_name *n)
{
	switch (scope) {
	case SENSITIVE_ANYWHERE:
		return true;
	case SENSITIVE_BENEATH:
		return n->beneath;
	case SENSITIVE_LAST:
		return n->last;
	}
	return false;
}

/* Case-insensitive in ASCII only, as programs compare extensions. */
static bool ends_in(struct str path, struct str end)
{
	if (path.len < end.len)
		return false;
	path = str_skip(path, path.len - end.len);
	for (size_t i = 0; i < end.len; i++)
		if (row_lower(path.ptr[i]) != (unsigned char)end.ptr[i])
			return false;
	return true;
}

/* Is the file exempt (row->open), by its last path component? */
static bool is_open(const struct sensitive *row, struct str path)
{
	for (size_t i = 0; row->open && row->open[i]; i++)
		if (ends_in(path, str_of(row->open[i])))
			return true;
	return false;
}

static const struct sensitive *find_in(const struct row_index *index,
				       unsigned char list,
				       const struct path_name *n)
{
	for (; list != NO_ROW; list = index->next[list]) {
		const struct sensitive *row = &sensitive_rows[list - 1];
		const struct ignore_rule *glob = &row->rule.glob;

		if (is_in_scope(row->scope, n) &&
		    (glob->only_name ? fits_name(glob, n->name)
				     : fits_names(glob, n->name, n->whole)) &&
		    (index == &for_changes || !is_open(row, n->whole)))
			return row;
	}
	return NULL;
}

/* Search the absolute path @path; @beneath is its part below the base. */
static const struct sensitive *find_in_path(const struct row_index *index,
					    struct str path, struct str beneath)
{
	struct str rest = str_skip(path, 1);
	struct path_name n = { .whole = rest };
	const struct sensitive *row = NULL;

	while (!row && path_next(&rest, &n.name)) {
		n.last = !rest.len;
		n.beneath = beneath.len && n.name.ptr >= beneath.ptr;
		row = find_in(index, index->by_start[start_of(n.name)], &n);
		if (!row)
			row = find_in(index, index->by_end[end_of(n.name)], &n);
		if (!row)
			row = find_in(index, index->by_middle, &n);
	}
	return row;
}

/* The path below the outermost directory of the base. */
static bool beneath_base(const struct rules *r, struct str path,
			 struct str *ret)
{
	bool found = false;
	struct str rest;

	for (size_t i = 0; i < r->base_count; i++)
		if (path_beneath(path, r->base[i], &rest) &&
		    (!found || rest.len > ret->len)) {
			*ret = rest;
			found = true;
		}
	return found;
}

enum { MOST_GIT = 256 };

/* Append-only, entries never change: readers need no lock. */
static struct {
	pthread_mutex_t lock;
	struct str dir[MOST_GIT];
	atomic_size_t n;
} git = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_in_git(struct str path)
{
	size_t n = atomic_load(&git.n);

	for (size_t i = 0; i < n; i++)
		if (caseless_beneath(path, git.dir[i]))
			return true;
	return false;
}

void sensitive_add_git(struct str real)
{
	size_t n;
	char *copy;

	(void)pthread_mutex_lock(&git.lock);
	n = atomic_load(&git.n);
	if (n < MOST_GIT && !is_in_git(real)) {
		copy = strndup(real.ptr, real.len);
		if (!copy)
			out_of_memory();
		git.dir[n] = str_make(copy, real.len);
		atomic_store(&git.n, n + 1);
	}
	(void)pthread_mutex_unlock(&git.lock);
}

const struct sensitive *sensitive_find(const struct rules *r,
				       const struct action *d)
{
	const struct row_index *index = d->changes ? &for_changes : &for_reads;
	const struct sensitive *row = NULL;
	struct str rest;
	bool known;

	(void)pthread_once(&row_index_once, make_row_indexes);
	known = beneath_base(r, d->key, &rest);
	for (size_t i = 0; !row && i < d->name_count; i++) {
		rest = known ? STR("") : d->name[i];
		(void)beneath_base(r, d->name[i], &rest);
		row = find_in_path(index, d->name[i], rest);
		if (!row && is_in_git(d->name[i]))
			row = find_in_path(index, STR("/.git"), STR(""));
	}
	return row;
}

const struct sensitive *sensitive_place(struct str dir)
{
	const struct sensitive *row;

	(void)pthread_once(&row_index_once, make_row_indexes);
	row = find_in_path(&for_changes, dir, STR(""));
	return row && row->scope == SENSITIVE_ANYWHERE ? row : NULL;
}

static bool has_candidate(const struct row_index *index, unsigned char list,
			  struct str name)
{
	for (; list != NO_ROW; list = index->next[list]) {
		const struct ignore_rule *glob =
			&sensitive_rows[list - 1].rule.glob;
		struct str names = names_of(glob);

		if (glob->only_name
			    ? fits_name(glob, name)
			    : caseless_eq(name, str_head(names,
							 str_find(names, '/'))))
			return true;
	}
	return false;
}

bool sensitive_may_ask(struct str name)
{
	const struct row_index *index = &for_reads;

	(void)pthread_once(&row_index_once, make_row_indexes);
	return !name.len || !caseless_is_plain(name) ||
	       has_candidate(index, index->by_start[start_of(name)], name) ||
	       has_candidate(index, index->by_end[end_of(name)], name) ||
	       has_candidate(index, index->by_middle, name);
}
