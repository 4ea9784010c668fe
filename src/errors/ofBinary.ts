/**
 * The part of the error table that says what a binary file is and which command makes it readable. FILE stands for the
 * file's name. By which bytes each is known: src/storage/binaryKinds.ts.
 *
 * Floor 0: imports nothing; see src/errors.ts.
 */

const UNPACKED = 'run that and give what it writes, or leave the file out with --exclude';
const CONVERTED = 'run that and give the text, or leave the file out with --exclude';
const NO_TEXT = 'leave it out with --exclude, or compare bytes with --shingle bytes:k';

export const ERRORS_OF_BINARY = {
  BINARY: {
    scope: 'document',
    text: 'binary file of a kind that is not known (a NUL byte in its first 8 KB)',
    remedy: 'exclude it with --exclude, name its --encoding, or compare bytes with --shingle bytes:k',
  },
  BINARY_UTF16LE: {
    scope: 'document',
    text: 'a text in UTF-16 (bytes FF FE at its start): --encoding utf-16le reads it',
    remedy: 'give that where all files are so; else iconv -f UTF-16 -t UTF-8 FILE > FILE.txt makes one UTF-8',
  },
  BINARY_UTF16BE: {
    scope: 'document',
    text: 'a text in UTF-16 (bytes FE FF at its start): --encoding utf-16be reads it',
    remedy: 'give that where all files are so; else iconv -f UTF-16 -t UTF-8 FILE > FILE.txt makes one UTF-8',
  },
  BINARY_UTF32: {
    scope: 'document',
    text: 'a text in UTF-32: iconv -f UTF-32 -t UTF-8 FILE > FILE.txt makes it UTF-8',
    remedy: CONVERTED,
  },
  BINARY_GZIP: {
    scope: 'document',
    text: 'packed by gzip under a name without .gz: with that ending it is read, or gzip -dc FILE unpacks it',
    remedy: UNPACKED,
  },
  BINARY_ZSTD: {
    scope: 'document',
    text: 'packed by zstd: zstd -d FILE unpacks it',
    remedy: UNPACKED,
  },
  BINARY_XZ: { scope: 'document', text: 'packed by xz: xz -dk FILE unpacks it', remedy: UNPACKED },
  BINARY_BZIP2: {
    scope: 'document',
    text: 'packed by bzip2: bzip2 -dk FILE unpacks it',
    remedy: UNPACKED,
  },
  BINARY_LZ4: { scope: 'document', text: 'packed by lz4: lz4 -d FILE unpacks it', remedy: UNPACKED },
  BINARY_COMPRESS: {
    scope: 'document',
    text: 'packed by compress (.Z): gzip -dc FILE unpacks it',
    remedy: UNPACKED,
  },
  BINARY_ZIP: {
    scope: 'document',
    text: 'a zip archive (zip, jar and the like): unzip -d FOLDER FILE unpacks it',
    remedy: UNPACKED,
  },
  BINARY_TAR: {
    scope: 'document',
    text: 'a tar archive: tar -xf FILE -C FOLDER unpacks it',
    remedy: UNPACKED,
  },
  BINARY_SEVEN_ZIP: {
    scope: 'document',
    text: 'a 7z archive: 7z x -oFOLDER FILE unpacks it',
    remedy: UNPACKED,
  },
  BINARY_RAR: {
    scope: 'document',
    text: 'a rar archive: unrar x FILE FOLDER/ unpacks it',
    remedy: UNPACKED,
  },
  BINARY_PDF: {
    scope: 'document',
    text: 'a PDF file: pdftotext FILE FILE.txt makes it a text',
    remedy: CONVERTED,
  },
  BINARY_OFFICE: {
    scope: 'document',
    text: 'an office document or e-book (docx, odt, epub and the like): pandoc -t plain -o FILE.txt FILE makes it a text',
    remedy: CONVERTED,
  },
  BINARY_OLD_OFFICE: {
    scope: 'document',
    text: 'an old office file (doc, xls, ppt, msg): catdoc FILE > FILE.txt makes a doc a text',
    remedy: CONVERTED,
  },
  BINARY_IMAGE: {
    scope: 'document',
    text: 'an image (PNG, JPEG, GIF, TIFF or WebP): tesseract FILE FILE reads the text in it into FILE.txt',
    remedy: CONVERTED,
  },
  BINARY_SOUND: {
    scope: 'document',
    text: 'sound or video',
    remedy: 'leave it out with --exclude, or give a transcript of it',
  },
  BINARY_PARQUET: {
    scope: 'document',
    text: `a Parquet file: duckdb -c "COPY (FROM read_parquet('FILE')) TO 'FILE.jsonl' (FORMAT json)" makes it JSON lines`,
    remedy: 'run that and give FILE.jsonl with the --text-field and --id-field of its columns',
  },
  BINARY_SQLITE: {
    scope: 'document',
    text: 'an SQLite database: sqlite3 -json FILE "SELECT id, text FROM TABLE" > FILE.json makes a table JSON',
    remedy: 'run that with your table and columns, and give FILE.json',
  },
  BINARY_TABLE: {
    scope: 'document',
    text: 'a table or array in a binary format (Arrow, Avro, ORC, HDF5 or NumPy)',
    remedy: 'write its texts as JSON lines with the library that made it, and give those',
  },
  BINARY_PROGRAM: {
    scope: 'document',
    text: 'a program or compiled code (ELF, Mach-O, Windows, WebAssembly or Java)',
    remedy: NO_TEXT,
  },
} as const;
