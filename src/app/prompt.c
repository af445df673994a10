/*
 * prompt.c - questions to the person at the terminal.
 *
 * Input is read byte by byte, because text after the line belongs to the next
 * question.
 */
#include "app/prompt.h"

#include "app/screen.h"
#include "base/fd.h"

#include <unistd.h>

bool prompt_possible(void)
{
	return isatty(STDIN_FILENO);
}

bool prompt_line(const char *question, char *answer, size_t size)
{
	size_t n = 0;
	char c;

	screen_warn("%s ", question);
	while (fd_read(STDIN_FILENO, &c, 1) == 1) {
		if (c == '\n') {
			answer[n] = '\0';
			return true;
		}
		if (n + 1 < size)
			answer[n++] = c;
	}
	screen_warn("\n");
	return false;
}

bool prompt_yes(const char *question)
{
	auto_buf whole = BUF_INIT;
	char answer[16];

	buf_addf(&whole, "%s [y/N]", question);
	buf_addc(&whole, '\0');
	return prompt_line(whole.ptr, answer, sizeof(answer)) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

enum err prompt_agree(struct str what, bool yes, struct arena *mem,
		      struct fault *f)
{
	if (yes)
		return ERR_OK;
	if (!prompt_possible())
		return fail(
			f, ERR_UNCONFIRMED,
			.text = arena_printf(
				mem,
				STR_FMT
				". Standard input is not a terminal, so you cannot be asked: confirm with --yes",
				STR_ARG(what)));
	screen_warn(STR_FMT ".\n", STR_ARG(what));
	if (prompt_yes("Continue?"))
		return ERR_OK;
	return fail(f, ERR_UNCONFIRMED, .text = STR("you did not confirm it"));
}
