/*
 * log.h - words for the person, on stderr; silent unless asked.
 *
 * Only app and io log; everything below returns. Never the content of a file
 * and never an argument's value other than a path.
 */
#ifndef STET_LOG_H
#define STET_LOG_H

#include "base/base.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_INFO, LOG_DEBUG };

void log_set(enum log_level level);
enum log_level log_get(void);
void log_say(enum log_level level, const char *format, ...) prints(2, 3);

#define log_error(...) log_say(LOG_ERROR, __VA_ARGS__)
#define log_info(...)  log_say(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_say(LOG_DEBUG, __VA_ARGS__)

#endif
