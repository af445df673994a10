/*
 * quarantine.h - damaged files that stet has moved aside.
 */
#ifndef STET_QUARANTINE_H
#define STET_QUARANTINE_H

/*
 * Print which files were quarantined in the state directory of this user, how
 * to inspect them, and which files are damaged now.
 */
void quarantine_print(void);

#endif
