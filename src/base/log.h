/*
 * log.h - diagnostics on stderr, off by default.
 *
 * Only warnings about damage to stored data are written at any level. Only app
 * and io log; lower layers return errors. Never log the content of a file, nor
 * the value of an argument other than a path.
 */
#ifndef STET_LOG_H
#define STET_LOG_H

#include "base/buf.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_INFO, LOG_DEBUG };

void log_set(enum log_level level);

/*
 * Escapes a record so that it stays one line and contains no control
 * characters, as a path may hold anything. text/display/visible.h does that; it
 * is above this layer, so main() registers it.
 */
typedef void log_escape_fn(struct buf *out, struct str text);
void log_set_escape(log_escape_fn *speller);

enum log_level log_get(void);
void log_write(enum log_level level, const char *format, ...) prints(2, 3);

#define log_always(...) log_write(LOG_OFF, __VA_ARGS__)
#define log_error(...)  log_write(LOG_ERROR, __VA_ARGS__)
#define log_info(...)   log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)  log_write(LOG_DEBUG, __VA_ARGS__)

#endif
