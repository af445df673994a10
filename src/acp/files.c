/* files.c - the files of a session: the disk, the editor before it. */

#include "acp/agent_local.h"

bool files_open(struct session *s, struct fault *f)
{
	return true;
}

void files_ready(struct session *s)
{
}

void files_cancel(struct session *s)
{
}

bool files_told(struct session *s, struct str id)
{
	return false;
}

void files_end_call(struct session *s, struct str id, const char *why)
{
}

void files_undo(struct session *s, struct str path)
{
}

void files_leave(struct session *s)
{
	session_left(s);
}

void files_close(struct session *s)
{
}
