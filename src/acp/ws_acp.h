/*
 * ws_acp.h - a workspace in which the editor's text takes precedence over disk.
 *
 * Paths are checked by the disk's workspace, whose roots apply to both. A read
 * returns the editor's text if the editor provides it (A12: the whole file;
 * pages are cut here), else the disk's. The text is converted back to the
 * file's encoding and line endings (editor_buffer.h). If that gives the bytes
 * on disk, they are the snapshot, with the same version as without an editor
 * (R61); else there are unsaved changes, and the snapshot is what a save would
 * write (R62).
 *
 * Another program may have changed the disk under an unmodified buffer. That is
 * decided by content: the text is remembered when editor and disk were last in
 * sync. An editor that still has that text while the disk has other bytes is
 * stale, and the disk is served. An editor with any other text has unsaved
 * changes and is served; so is one that was never seen in sync.
 *
 * The disk alone serves what the editor cannot represent: binary files, text
 * that it decodes differently, mixed line endings unless it reports them
 * unchanged; files past 16 MiB, because editors limit messages to 32 MiB; and
 * stet's own lookups of settings and ignore files, which have no struct
 * progress. An empty text for a file that is not on disk means no file: editors
 * create such a buffer when they are asked.
 *
 * A store goes to the editor if that served (or would serve) the read: its text
 * is compared with the base of the change (ERR_CHANGED if the user has typed
 * since), written, and read again, because editors format on save; struct
 * stored reports that. If the editor refuses or is gone, the disk is written.
 * After a timeout it is not: the editor may still do it, so nothing is written
 * a second time behind its back (A15). If the editor saved the right text in
 * other bytes (a lost BOM, other line endings), the disk is corrected. Parents
 * and directories are checked on disk first (A18), `created` is what the disk
 * said before (A17). A change of the mode alone, and a file whose directory is
 * to be created, go to the disk.
 *
 * The editor opens files by path. It gets the key of the file that was judged
 * (with a root's path as the user gave it), never a symlink below a root, and
 * the disk is checked right before a write and right after a read whether the
 * path still leads there. A race while the editor works cannot be excluded.
 *
 * Operations block for the editor, so ws_waits() says that none of them may be
 * run on the loop thread.
 */
#ifndef STET_WS_ACP_H
#define STET_WS_ACP_H

#include "acp/editor.h"

/* @disk and @editor must outlive the workspace. */
struct workspace *ws_acp_new(struct workspace *disk, struct editor *editor);
void ws_acp_free(struct workspace *ws);

#endif
