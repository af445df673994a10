/*
 * encoding_magic.c - magic numbers of binary formats.
 *
 * Checked before any encoding is guessed; a file with one is reported as
 * binary.
 */
#include "text/encoding/encoding.h"

#include "text/encoding/utf8.h"

/*
 * Printable magic numbers could begin a text about the format, so they need
 * further evidence: bytes that text does not have.
 */
static const struct {
	struct str bytes;
	size_t offset;
	bool printable;
} magics[] = {
	{ STR_INIT("\x89PNG\r\n\x1a\n") },
	{ STR_INIT("\xff\xd8\xff") },     /* JPEG */
	{ STR_INIT("GIF87a"), 0, true },  /* GIF */
	{ STR_INIT("GIF89a"), 0, true },  /* GIF */
	{ STR_INIT("II*\0") },            /* TIFF */
	{ STR_INIT("MM\0*") },            /* TIFF */
	{ STR_INIT("\0\0\1\0") },         /* ICO */
	{ STR_INIT("RIFF"), 0, true },    /* WAV, AVI, WebP */
	{ STR_INIT("OggS"), 0, true },    /* Ogg */
	{ STR_INIT("fLaC"), 0, true },    /* FLAC */
	{ STR_INIT("ID3"), 0, true },     /* MP3 */
	{ STR_INIT("ftyp"), 4, true },    /* MP4, HEIC, AVIF */
	{ STR_INIT("\x1a\x45\xdf\xa3") }, /* Matroska, WebM */
	{ STR_INIT("%PDF-"), 0, true },   /* PDF */
	{ STR_INIT("PK\3\4") },           /* ZIP */
	{ STR_INIT("PK\5\6") },           /* ZIP, empty */
	{ STR_INIT("PK\7\x08") },         /* ZIP, in parts */
	{ STR_INIT("\x1f\x8b") },         /* gzip */
	{ STR_INIT("BZh"), 0, true },     /* bzip2 */
	{ STR_INIT("\xfd"
		   "7zXZ\0") },             /* xz */
	{ STR_INIT("\x28\xb5\x2f\xfd") },   /* Zstandard */
	{ STR_INIT("\x04\x22\x4d\x18") },   /* LZ4 */
	{ STR_INIT("7z\xbc\xaf\x27\x1c") }, /* 7-Zip */
	{ STR_INIT("Rar!"), 0, true },      /* RAR */
	{ STR_INIT("!<arch>\n"), 0, true }, /* ar, deb */
	{ STR_INIT("\x7f"
		   "ELF") },               /* ELF */
	{ STR_INIT("\xfe\xed\xfa\xce") },  /* Mach-O */
	{ STR_INIT("\xfe\xed\xfa\xcf") },  /* Mach-O */
	{ STR_INIT("\xce\xfa\xed\xfe") },  /* Mach-O */
	{ STR_INIT("\xcf\xfa\xed\xfe") },  /* Mach-O */
	{ STR_INIT("\xca\xfe\xba\xbe") },  /* Java class, fat Mach-O */
	{ STR_INIT("MZ"), 0, true },       /* PE */
	{ STR_INIT("\0asm") },             /* WebAssembly */
	{ STR_INIT("SQLite format 3\0") }, /* SQLite */
	{ STR_INIT("wOFF"), 0, true },     /* web fonts */
	{ STR_INIT("wOF2"), 0, true },     /* web fonts */
};

enum { EVIDENCE = 4096 }; /* bytes examined */

/* Text has these control characters: tab to CR, and ESC for colours. */
static bool text_byte(char c)
{
	unsigned char b = (unsigned char)c;

	return b >= 0x20 || (b >= '\t' && b <= '\r') || b == 0x1b;
}

static bool looks_like_text(struct str head)
{
	struct str front = str_head(head, EVIDENCE);

	if (!utf8_valid(str_head(front, front.len - utf8_tail(front))))
		return false;
	for (size_t i = 0; i < front.len; i++)
		if (!text_byte(front.ptr[i]))
			return false;
	return true;
}

bool encoding_magic(struct str head)
{
	for (size_t i = 0; i < COUNT_OF(magics); i++) {
		if (head.len <= magics[i].offset)
			continue;
		if (str_starts(str_skip(head, magics[i].offset),
			       magics[i].bytes))
			return !magics[i].printable || !looks_like_text(head);
	}
	return false;
}
