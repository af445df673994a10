/*
 * ws_acp.h - editor first, disk second: one workspace made of both.
 *
 * Paths are judged by the disk's workspace, whose roots hold for both ways.
 * A read is the editor's text where the editor can and will (A12: all of it;
 * pages are made here), else the disk's. An editor shows text: its lines end
 * with LF whatever the file has, and a byte order mark is not in it. So the
 * text is put back into the file's own encoding and line endings; when that
 * gives the bytes on disk, those are the snapshot, with the same version as
 * without an editor (R61); otherwise there are changes nobody has saved, and
 * the snapshot is what a save would write (R62).
 *
 * A store goes to the editor if it served (or would serve) the read: the text
 * is compared with what the caller based its change on (ERR_CHANGED when the
 * person has typed since), written, and read again, because editors format
 * when they save; struct stored says what is there then. It is never written
 * a second time behind the editor's back (A15). Parents and directories are
 * checked on disk first (A18), `created` is what the disk said before (A17).
 */
#ifndef STET_WS_ACP_H
#define STET_WS_ACP_H

#include "acp/editor.h"

/* @disk and @editor must outlive it. */
struct workspace *ws_acp_new(struct workspace *disk, struct editor *editor);
void ws_acp_free(struct workspace *ws);

#endif
