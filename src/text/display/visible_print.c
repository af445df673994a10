/*
 * visible_print.c - printf() for people: arguments cannot leave their line.
 *
 * Only the conversions that our formats use are supported; any other is a
 * programming error and fails an assertion.
 */
#include "text/display/visible.h"

#include <assert.h>

/* One conversion of a format, as in "%-12.*s". */
struct visible_spec {
	bool left, has_precision;
	size_t width, precision;
	unsigned longs; /* number of 'l' */
	bool size;      /* 'z' */
	char conversion;
};

/* A va_list that can be passed on by pointer. */
struct visible_args {
	va_list list;
};

static const char *read_width(const char *at, struct visible_args *args,
			      size_t *ret)
{
	int given;

	*ret = 0;
	if (*at == '*') {
		given = va_arg(args->list, int);
		*ret = given > 0 ? (size_t)given : 0;
		return at + 1;
	}
	for (; *at >= '0' && *at <= '9'; at++)
		*ret = *ret * 10 + (size_t)(*at - '0');
	return at;
}

/* @at is after the '%'; returns the position after the conversion. */
static const char *read_spec(const char *at, struct visible_args *args,
			     struct visible_spec *ret)
{
	*ret = (struct visible_spec){ .left = *at == '-' };
	at = read_width(at + ret->left, args, &ret->width);
	if (*at == '.') {
		ret->has_precision = true;
		at = read_width(at + 1, args, &ret->precision);
	}
	for (; *at == 'l' || *at == 'z'; at++) {
		ret->longs += *at == 'l';
		ret->size = ret->size || *at == 'z';
	}
	ret->conversion = *at;
	assert(*at);
	return at + 1;
}

static unsigned long long read_unsigned(const struct visible_spec *s,
					struct visible_args *args)
{
	if (s->size)
		return va_arg(args->list, size_t);
	if (s->longs > 1)
		return va_arg(args->list, unsigned long long);
	return s->longs ? va_arg(args->list, unsigned long)
			: va_arg(args->list, unsigned);
}

static void add_value(struct buf *out, const struct visible_spec *s,
		      struct visible_args *args)
{
	const char *text;
	char one;

	switch (s->conversion) {
	case 's':
		text = va_arg(args->list, const char *);
		visible_line(out,
			     s->has_precision
				     ? str_make(text,
						strnlen(text, s->precision))
				     : str_of(text));
		return;
	case 'c':
		one = (char)va_arg(args->list, int);
		visible_line(out, str_make(&one, 1));
		return;
	case 'd':
		assert(!s->size && !s->longs);
		buf_addf(out, "%d", va_arg(args->list, int));
		return;
	default:
		assert(s->conversion == 'u');
		buf_addf(out, "%llu", read_unsigned(s, args));
	}
}

static void add_padded(struct buf *out, const struct visible_spec *s,
		       struct str value)
{
	size_t blanks = s->width > value.len ? s->width - value.len : 0;

	if (s->left)
		buf_add(out, value);
	for (size_t i = 0; i < blanks; i++)
		buf_addc(out, ' ');
	if (!s->left)
		buf_add(out, value);
}

void visible_print(struct buf *out, const char *format, va_list args)
{
	struct visible_args shared;
	struct visible_spec spec;

	va_copy(shared.list, args);
	while (*format) {
		auto_buf value = BUF_INIT;
		size_t plain = strcspn(format, "%");

		buf_add(out, str_make(format, plain));
		format += plain;
		if (format[0] == '%' && format[1] == '%') {
			buf_addc(out, '%');
			format += 2;
		} else if (*format) {
			format = read_spec(format + 1, &shared, &spec);
			add_value(&value, &spec, &shared);
			add_padded(out, &spec, buf_str(&value));
		}
	}
	va_end(shared.list);
}
