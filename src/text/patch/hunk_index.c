/*
 * hunk_index.c - the rows of a text that are a given line.
 *
 * A hash table without chains: the rows are sorted by bucket, by counting. The
 * lines of a bucket may differ, so the caller compares them.
 */
#include "text/patch/hunk_index.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct str hunk_strip(struct str line)
{
	while (line.len && is_blank(line.ptr[line.len - 1]))
		line.len--;
	while (line.len && is_blank(*line.ptr))
		line = str_skip(line, 1);
	return line;
}

/* FNV-1a */
static size_t bucket_of(const struct hunk_index *x, struct str line)
{
	uint64_t hash = 14695981039346656037u;

	line = hunk_strip(line);
	for (size_t i = 0; i < line.len; i++)
		hash = (hash ^ (unsigned char)line.ptr[i]) * 1099511628211u;
	return (size_t)((hash ^ hash >> 32) % x->buckets);
}

static size_t buckets_for(size_t count)
{
	return count / 2 + 1;
}

size_t hunk_index_size(size_t count)
{
	return (count + buckets_for(count) + 2) * sizeof(size_t);
}

void hunk_index_init(struct hunk_index *x, const struct hunk_row *rows,
		     size_t count, struct arena *mem)
{
	size_t *start;

	x->buckets = buckets_for(count);
	x->rows = arena_array(mem, size_t, count);
	start = arena_array(mem, size_t, x->buckets + 2);
	x->start = start;
	/* Shifted by two: the last loop moves each start to the next one's. */
	for (size_t i = 0; i < count; i++)
		start[bucket_of(x, rows[i].body) + 2]++;
	for (size_t i = 2; i < x->buckets + 2; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; i < count; i++)
		x->rows[start[bucket_of(x, rows[i].body) + 1]++] = i;
}

struct row_list hunk_index_find(const struct hunk_index *x, struct str line,
				size_t from)
{
	size_t bucket = bucket_of(x, line);
	size_t low = x->start[bucket], end = x->start[bucket + 1], high = end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (x->rows[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct row_list){ x->rows + low, end - low };
}
