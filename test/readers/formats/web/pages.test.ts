/** Which files are pages, in which character set, and what is skipped of them. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { inputFile, temporaryFolder } from '../../../data/temporaryFolder.js';
import { listOf, readSource } from '../../list/fileTables.js';
import { RecordingSink, readParams } from '../../recordingSink.js';

type Params = Parameters<typeof readParams>[0];

/** Counts the documents that are told to be pages. */
class PageSink extends RecordingSink {
  pages = 0;
  is(): void {
    this.pages++;
  }
}

/** By name: the text of a file read by itself, or the code of its skip. */
function read(
  t: Parameters<typeof temporaryFolder>[0],
  files: Readonly<Record<string, string | Uint8Array>>,
  changes: Params = {},
): { texts: Record<string, string>; pages: number } {
  const folder = temporaryFolder(t, files);
  const texts: Record<string, string> = {};
  let pages = 0;
  for (const name of Object.keys(files)) {
    const sink = new PageSink();
    const list = listOf([inputFile(`${folder}/${name}`)]);
    readSource({ kind: 'files', list }, readParams(changes), sink);
    const [found] = sink.documents;
    texts[name] =
      found === undefined
        ? sink.codes.join()
        : Buffer.from(found.text, 'latin1').toString() + (found.repaired ? ' (repaired)' : '');
    pages += sink.pages;
  }
  return { texts, pages };
}

const BODY = '<html><title>t</title><p>a<b>b</b>';

test('pages are told by name, and texts by what they begin with', (t) => {
  const files = {
    'a.html': '<p>a<b>b</b>',
    'a.HTM': '<p>a<b>b</b>',
    'a.xhtml': '<?xml version="1.0"?><html><title/><p>a<b>b</b></p></html>',
    'compressed.html.gz': gzipSync(BODY),
    page: BODY,
    'page.txt': `\ufeff\n <!-- a > b --> <!DOCTYPE HTML><p>ab`,
    'page.md': `<?xml version="1.0"?>\n<Html lang=en>ab`,
    'page.gz': gzipSync(BODY),
    'wide.txt': Buffer.from(`\ufeff${BODY}`, 'utf16le'),
    'text.txt': '<p>a<b>b</b>',
    'late.txt': `a ${BODY}`,
    'other.txt': '<htmlx>',
    'comments.txt': '<!---->'.repeat(600),
  };
  const { texts, pages } = read(t, files);
  const { 'text.txt': text, 'late.txt': late, 'other.txt': other, 'comments.txt': comments, ...all } = texts;
  t.deepEqual(
    Object.entries(all).filter(([, found]) => found !== 'ab'),
    [],
  );
  t.deepEqual([text, late, other], ['<p>a<b>b</b>', `a ${BODY}`, '<htmlx>']);
  t.is(comments, '<!---->'.repeat(600));
  t.is(pages, 9);
});

test('--text-format text, --input text and bytes give the source', (t) => {
  const files = { 'a.html': BODY, page: BODY };
  const asTheyAre = { texts: { 'a.html': BODY, page: BODY }, pages: 0 };
  t.deepEqual(read(t, files, { textFormat: 'text' }), asTheyAre);
  t.deepEqual(read(t, files, { bytes: true }), asTheyAre);
  t.deepEqual(read(t, { page: BODY }, { input: 'text' }), { texts: { page: BODY }, pages: 0 });
});

test('the character set is that of a mark, of the page, or of --encoding', (t) => {
  const latin = (source: string): Buffer => Buffer.from(source, 'latin1');
  const { texts } = read(t, {
    'utf8.html': '<p>é',
    'mark.html': Buffer.from('\ufeff<meta charset=latin1><p>é'),
    'wide.html': Buffer.from('\ufeff<p>é', 'utf16le'),
    'meta.html': latin('<head><META name=x><meta\nCharset = "ISO-8859-1" ><p>é\x80'),
    'equiv.html': latin('<meta http-equiv=Content-Type content="text/html; charset=windows-1252"><p>é'),
    'greek.html': Buffer.from([...latin('<meta charset=iso-8859-7><p>'), 0xe1]),
    'xml.html': latin('<?xml version="1.0" encoding="iso-8859-1"?><html><p>é</p></html>'),
    'lies.html': '<meta charset=utf-16le><p>é',
    'unknown.html': '<meta charset=none><meta charset=klingon><p>é',
    'comment.html': '<!-- <meta charset=latin1> --><p>é',
    'late.html': `<!--${' '.repeat(1024)}--><meta charset=latin1><p>é`,
    'broken.html': latin('<p>é'),
    'jis.html': Buffer.from([...latin('<meta charset=shift_jis><p>'), 0x82, 0xa0]),
  });
  t.deepEqual(texts, {
    'utf8.html': 'é',
    'mark.html': 'é',
    'wide.html': 'é',
    'meta.html': 'é€',
    'equiv.html': 'é',
    'greek.html': 'α',
    'xml.html': 'é',
    'lies.html': 'é',
    'unknown.html': 'é',
    'comment.html': 'é',
    'late.html': 'é',
    'broken.html': '\ufffd (repaired)',
    'jis.html': 'あ',
  });
  const other = read(
    t,
    { 'a.html': latin('<p>é'), 'b.html': '<meta charset=utf-8><p>é' },
    { encoding: 'latin1' },
  );
  t.deepEqual(other.texts, { 'a.html': 'é', 'b.html': 'é' });
});

test('--max-document bounds source and text; what is binary or compressed badly is named', (t) => {
  const files = {
    'fits.html': '<p>abcdef',
    'source.html': '<p>abcdefg',
    'text.html': '&nGt;&nGt;',
    'binary.html': '<p>a\0b',
    'other.html.gz': BODY,
    'empty.html': '',
  };
  t.deepEqual(read(t, files, { maxDocument: 9 }).texts, {
    'fits.html': 'abcdef',
    'source.html': '-1 TOO_LARGE',
    'text.html': '-1 TOO_LARGE',
    'binary.html': '-1 BINARY',
    'other.html.gz': '-1 GZIP_OTHER',
    'empty.html': '',
  });
});
