/*
 * ws_acp.h - editor first, disk second: one workspace made of both.
 *
 * Paths are judged by the disk's workspace, whose roots hold for both ways.
 * A read is the editor's text where the editor can and will (A12: all of it;
 * pages are made here), else the disk's. An editor shows text: its lines end
 * with LF whatever the file has, a byte order mark is not in it, and whether
 * the last line ends is not to be relied on. So the
 * text is put back into the file's own encoding and line endings; when that
 * gives the bytes on disk, those are the snapshot, with the same version as
 * without an editor (R61); otherwise there are changes nobody has saved, and
 * the snapshot is what a save would write (R62).
 *
 * The disk may have moved on under a buffer that nobody has touched: a shell
 * has written the file. That is decided by content. When the two last agreed,
 * the text was remembered; an editor that still shows that text while the disk
 * has other bytes is behind, and the disk's version is the newer. An editor
 * that shows anything else has what somebody typed, and is served. (What was
 * never seen to agree is taken for typed.)
 *
 * The disk alone serves what the editor cannot show as it is: bytes that are
 * no text, a text that it decodes otherwise, lines that end in several ways
 * unless it shows them so; files past 16 MiB, as editors' clients take
 * messages of 32 MiB at most; and whatever stet itself looks up, which comes
 * without an errand: settings and ignore files. An empty text for a file that
 * is not on disk is no file: editors make such a buffer when they are asked.
 *
 * A store goes to the editor if it served (or would serve) the read: the text
 * is compared with what the caller based its change on (ERR_CHANGED when the
 * person has typed since), written, and read again, because editors format
 * when they save; struct stored says that it is so. An editor that refuses, or
 * is gone, leaves it to the disk. One that is late does not: it may do it
 * yet, so nothing is ever written a second time behind its back (A15). One
 * that has saved the right text in other bytes (a lost mark, other line
 * endings) has that put right on the disk. Parents and directories are checked
 * on disk first (A18), `created` is what the disk said before (A17). A change
 * of the mode alone, and a file whose directory is to be made, are the disk's.
 *
 * The editor opens files by itself. It is told the key of the file that was
 * judged (of a root, the name that the person gave), never a link beneath a
 * root, and the disk is asked right before a write and right after a read
 * whether the name still leads there. What becomes of the name while the
 * editor is at work is out of our hands.
 *
 * It may block, so under patience the answer is ERR_LATER.
 */
#ifndef STET_WS_ACP_H
#define STET_WS_ACP_H

#include "acp/editor.h"

/* @disk and @editor must outlive it. */
struct workspace *ws_acp_new(struct workspace *disk, struct editor *editor);
void ws_acp_free(struct workspace *ws);

#endif
