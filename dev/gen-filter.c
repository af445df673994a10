/*
 * gen-filter.c - makes the seccomp filters of src/base/syscalls.def.
 *
 *	gen-filter ARCHITECTURE OUT.c
 *
 * Runs at build time, so that a start needs neither libseccomp nor the
 * millisecond in which it puts a filter together: the program has the finished
 * instructions, and hands them to the kernel.
 */
#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *architecture;

static scmp_filter_ctx begin(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	uint32_t arch = seccomp_arch_resolve_name(architecture);

	if (!ctx || !arch)
		return NULL;
	if (arch != seccomp_arch_native() &&
	    (seccomp_arch_add(ctx, arch) ||
	     seccomp_arch_remove(ctx, SCMP_ARCH_NATIVE)))
		return NULL;
	/* By number as a tree: most calls are decided in eight steps. */
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
			       SCMP_ACT_KILL_PROCESS);
	return ctx;
}

static void rule(scmp_filter_ctx ctx, const char *name, uint32_t action,
		 unsigned n, const struct scmp_arg_cmp *arg)
{
	int number = seccomp_syscall_resolve_name(name);
	int error = 0;

	if (number != __NR_SCMP_ERROR)
		error = seccomp_rule_add_array(ctx, action, number, n, arg);
	/* EDOM: it is not a call of that processor. */
	if (error && error != -EDOM) {
		(void)fprintf(stderr, "gen-filter: %s: %s\n", name,
			      strerror(-error));
		exit(1);
	}
}

static void fill(scmp_filter_ctx ctx, bool port)
{
#define ALLOW(name) rule(ctx, #name, SCMP_ACT_ALLOW, 0, NULL);
#define ALLOW_PORT(name) \
	if (port)        \
		rule(ctx, #name, SCMP_ACT_ALLOW, 0, NULL);
#define ALLOW_IF(name, n, mask, value)      \
	rule(ctx, #name, SCMP_ACT_ALLOW, 1, \
	     &SCMP_CMP(n, SCMP_CMP_MASKED_EQ, mask, value));
#define KILL(name) rule(ctx, #name, SCMP_ACT_KILL_PROCESS, 0, NULL);
#include "base/syscalls.def"
#undef ALLOW
#undef ALLOW_PORT
#undef ALLOW_IF
#undef KILL
}

static bool put(FILE *out, const char *name, bool port)
{
	scmp_filter_ctx ctx = begin();
	FILE *raw = tmpfile();
	struct sock_filter step;

	if (!ctx || !raw)
		return false;
	fill(ctx, port);
	if (seccomp_export_bpf(ctx, fileno(raw)))
		return false;
	rewind(raw);
	(void)fprintf(out, "static const struct sock_filter %s[] = {\n", name);
	while (fread(&step, sizeof(step), 1, raw) == 1)
		(void)fprintf(out, "\t{ 0x%x, %u, %u, 0x%x },\n", step.code,
			      step.jt, step.jf, step.k);
	(void)fprintf(out, "};\n");
	(void)fclose(raw);
	seccomp_release(ctx);
	return true;
}

int main(int argc, char **argv)
{
	FILE *out = argc == 3 ? fopen(argv[2], "w") : NULL;
	bool done;

	if (!out)
		return 2;
	architecture = argv[1];
	(void)fprintf(out, "/* made by dev/gen-filter.c */\n"
			   "#include <linux/filter.h>\n");
	done = put(out, "filter_stdio", false) && put(out, "filter_port", true);
	return fclose(out) || !done;
}
