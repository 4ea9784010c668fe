import test from 'ava';
import fc from 'fast-check';
import { ByteColumn } from '../../../src/arrays/growable.js';
import {
  CODEC_SHIFT,
  fileListBlock,
  fileListIn,
  PLAIN_TEXT,
  UNKNOWN,
} from '../../../src/readers/list/fileList.js';
import { FileTableBuilder, fileListOf } from '../../../src/readers/list/fileTable.js';
import { fileKind, fileKindOf, formatOf, formatOfKind } from '../../../src/readers/list/formats.js';
import { bytesOf, joinPath } from '../../../src/readers/list/pathIds.js';
import { filesOf, pathsOf, tableOf } from './fileTables.js';

/** Bytes before, at and after the slash, and one that is no ASCII. */
const part = fc.string({
  unit: fc.constantFrom('a', 'b', '-', '.', '0', '\xff'),
  minLength: 1,
  maxLength: 3,
});
const relative = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const folder = fc.record({
  path: fc.constantFrom('/', '/data', '/data/x', '/z'),
  prefix: fc.constantFrom('', 'a', 'a/b', 'a-'),
  files: fc.uniqueArray(relative, { maxLength: 8 }),
});

interface Named {
  readonly id: string;
  readonly path: string;
}

test('FileTable has the files of all folders in the order in which they were added', (t) => {
  fc.assert(
    fc.property(fc.array(folder, { maxLength: 4 }), (folders) => {
      const builder = new FileTableBuilder();
      const expected: Named[] = [];
      for (const { path, prefix, files } of folders) {
        builder.addFolder(path, prefix);
        for (const file of files) {
          const cut = file.lastIndexOf('/');
          builder.addFile(cut < 0 ? '' : file.slice(0, cut), file.slice(cut + 1), PLAIN_TEXT);
          expected.push({ id: joinPath(prefix, file), path: joinPath(path, file) });
        }
      }
      const table = builder.finish();
      const found = filesOf(table).map(({ id, path }) => ({ id, path }));
      t.deepEqual(found, expected);
      for (const { id } of expected) t.is(filesOf(table)[table.indexOf(bytesOf(id))]!.id, id);
      t.is(table.indexOf(bytesOf('no file')), -1);
      t.deepEqual(
        pathsOf(
          fileListOf(
            table,
            Uint32Array.from(found, (_, i) => i),
          ),
        ),
        found.map(pathOf),
      );
    }),
    { seed: 1, numRuns: 300 },
  );
});

const pathOf = ({ path }: Named): string => path;

test('FileTable keeps what is known of each file', (t) => {
  const files = [
    {
      path: '/z',
      id: 'b',
      bytes: 7,
      format: 'jsonl' as const,
      codec: 'gzip' as const,
      utf16: false,
      stdin: false,
    },
    { path: '-', id: '-', bytes: 0, format: 'jsonl' as const, codec: null, utf16: false, stdin: true },
    {
      path: '/y',
      id: 'a',
      bytes: UNKNOWN,
      format: 'json-or-text' as const,
      codec: null,
      utf16: false,
      stdin: false,
    },
  ];
  const table = tableOf(files);
  t.deepEqual(filesOf(table), files);
  const path = new ByteColumn();
  table.appendPath(0, path);
  t.is(Buffer.from(path.view).toString('latin1'), '/z');
});

test('fileListBlock gives the list back from its block', (t) => {
  const files = ['a', 'b\xff', 'c'].map((id) => ({ path: `/d/${id}`, id, bytes: 3 }));
  const table = tableOf(
    files.map((file) => ({ ...file, format: 'text', codec: 'gzip' as const, utf16: false, stdin: false })),
  );
  const list = fileListIn(fileListBlock(fileListOf(table, Uint32Array.of(1, 2))));
  t.deepEqual([...list.indexes], [1, 2]);
  t.deepEqual([...list.kinds], [1 << CODEC_SHIFT, 1 << CODEC_SHIFT]);
  t.deepEqual([...list.sizes], [3, 3]);
  t.deepEqual(pathsOf(list), ['/d/b\xff', '/d/c']);
});

test('fileKindOf is formatOf in a number', (t) => {
  const name = fc
    .array(fc.constantFrom('a', '.gz', '.GZ', '.json', '.jsonl', '.Ndjson', 'n', 'l', 'Z', '.', '.txt'))
    .map((parts) => parts.join(''));
  const input = fc.constantFrom('auto' as const, 'text' as const, 'jsonl' as const, 'json' as const);
  fc.assert(
    fc.property(name, input, fc.boolean(), (text, kind, textFieldGiven) => {
      const params = { input: kind, textFieldGiven };
      const { format, codec } = formatOf(text, params);
      const byte = fileKindOf(text, params);
      t.is(byte, fileKind(format, codec));
      t.is(formatOfKind(byte).name, format);
    }),
    { seed: 1, numRuns: 1000 },
  );
});
