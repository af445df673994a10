/*
 * put_aside.h - what stet has put aside because it was damaged.
 */
#ifndef STET_PUT_ASIDE_H
#define STET_PUT_ASIDE_H

/*
 * Tell on stdout what was put aside in the state directory of this user, how
 * to look at it, and what is damaged now.
 */
void put_aside_tell(void);

#endif
