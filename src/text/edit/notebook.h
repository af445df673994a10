/*
 * notebook.h - edit one cell of a Jupyter notebook (nbformat 4).
 *
 * The result are splices of the JSON text: what is outside the cell keeps its
 * bytes, and what is put in has the indentation, the separators and the escapes
 * of its surroundings. Pure; the same arguments give the same result, the id of
 * a new cell included.
 */
#ifndef STET_NOTEBOOK_H
#define STET_NOTEBOOK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/splice.h"

enum notebook_mode { NOTEBOOK_REPLACE, NOTEBOOK_INSERT, NOTEBOOK_DELETE };

struct notebook_want {
	enum notebook_mode mode;
	/*
	 * The cell by its id or, when none has that id, as "cell-N", from 0;
	 * to insert: the cell before the new one, "" = none.
	 */
	struct str cell;
	struct str type;   /* "code", "markdown"; "" = as it is */
	struct str source; /* its new text */
};

struct notebook_edit {
	struct splice *splices; /* of the text; ascending, not adjacent */
	size_t n;
	struct str text;       /* afterwards */
	struct str old_source; /* of the cell that was replaced or deleted */
	struct str cell, type; /* id and type of the cell */
	struct str language;
	size_t count; /* with ERR_MANY_CELLS: cells of that id */
};

/*
 * ERR_NOT_A_NOTEBOOK, ERR_NO_CELL, ERR_MANY_CELLS, and ERR_BAD_ARGS when the
 * mode needs a cell or a type that is missing.
 */
must_check enum err notebook_edit(struct str text,
				  const struct notebook_want *want,
				  struct arena *mem, struct notebook_edit *ret);

#endif
