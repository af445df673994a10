/*
 * log.h - words for the person, on stderr; silent unless asked, but for what
 * they must know in any case: damage to what stet keeps for them.
 *
 * Only app and io log; everything below returns. Never the content of a file
 * and never an argument's value other than a path.
 */
#ifndef STET_LOG_H
#define STET_LOG_H

#include "base/buf.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_INFO, LOG_DEBUG };

void log_set(enum log_level level);

/*
 * How a record is written so that it stays one line and nothing in it moves a
 * cursor: a name may hold anything. text/visible.h knows how; that is above
 * this layer, so main() hands it down.
 */
typedef void log_speller(struct buf *out, struct str text);
void log_spell_with(log_speller *speller);

enum log_level log_get(void);
void log_say(enum log_level level, const char *format, ...) prints(2, 3);

#define log_always(...) log_say(LOG_OFF, __VA_ARGS__)
#define log_error(...)  log_say(LOG_ERROR, __VA_ARGS__)
#define log_info(...)   log_say(LOG_INFO, __VA_ARGS__)
#define log_debug(...)  log_say(LOG_DEBUG, __VA_ARGS__)

#endif
