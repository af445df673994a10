/*
 * replay.c - X26: run a fuzz target over the files of its corpus, as TAP.
 *
 * What libFuzzer does with a corpus, without libFuzzer: so every input that
 * ever mattered is a test case with any compiler and sanitizer. A broken
 * invariant aborts the program, and the missing cases show it. Without a corpus
 * there is one case, the empty input.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int only_files(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int replay(const char *dir, const char *name)
{
	char path[4096];
	uint8_t *data;
	size_t size;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "rb");
	if (!in || fseek(in, 0, SEEK_END))
		return -1;
	size = (size_t)ftell(in);
	rewind(in);
	/* exactly as large as the input, so that a sanitizer sees its end */
	data = malloc(size ? size : 1);
	if (!data || fread(data, 1, size, in) != size)
		return -1;
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return fclose(in);
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	int n = argc > 1 ? scandir(argv[1], &names, only_files, alphasort) : 0;
	int failed = 0;

	n = n < 0 ? 0 : n;
	printf("1..%d\n", n + 1);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	printf("ok 1 - nothing at all\n");
	for (int i = 0; i < n; i++) {
		int bad = replay(argv[1], names[i]->d_name);

		printf("%sok %d - %s\n", bad ? "not " : "", i + 2,
		       names[i]->d_name);
		fflush(stdout);
		failed |= bad;
		free(names[i]);
	}
	free(names);
	return failed ? 1 : 0;
}
