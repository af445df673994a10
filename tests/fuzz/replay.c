/*
 * The main() of a fuzz target where there is no fuzzer: every file of the
 * folders, or every file, given as arguments goes through the target once.
 * A target aborts where its invariant does not hold.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *bytes;
	size_t n;

	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		exit(1);
	}
	/* exactly as long as the input, so that reading past it is seen */
	bytes = malloc((size_t)st.st_size + !st.st_size);
	if (!bytes)
		exit(1);
	n = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	fprintf(stderr, "%s\n", path); /* the last one is the one that failed */
	(void)LLVMFuzzerTestOneInput(bytes, n);
	free(bytes);
	return 1;
}

static int run(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return run_file(path);
	while ((entry = readdir(dir))) {
		char *name;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&name, "%s/%s", path, entry->d_name) < 0)
			exit(1);
		count += run(name);
		free(name);
	}
	closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += run(argv[i]);
	printf("%d inputs\n", count);
	return count ? 0 : 1; /* a corpus that went missing is a failure */
}
