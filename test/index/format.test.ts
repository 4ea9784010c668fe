/** The format of an index: the vectors of docs/dev/index-format.md are what is written, and what is read. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { sortUnique64 } from '../../src/arrays/sort.js';
import { dateOfDay, dayOf, dayOfDate } from '../../src/index/format.js';
import { IndexWriter, makeIndex, openedIndex, readSeen } from '../../src/index/indexFolder.js';
import { SegmentWriter } from '../../src/index/segmentWriter.js';
import { writeBandKeys } from '../../src/sketch/slots.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { PARAMS, rowOf } from './randomIndex.js';

test('the vectors of the format are written and read', (t) => {
  const page = readFileSync('docs/dev/index-format.md', 'utf8');
  const listed = page.slice(page.indexOf('```vectors\n') + 11, page.lastIndexOf('```'));
  const folder = join(temporaryFolder(t), 'index');
  const banding = { bands: 2, rows: 4 };
  const params = { ...PARAMS, banding, sketch: { ...PARAMS.sketch, hashes: 16 } };
  makeIndex(folder, params, true);
  const writer = new IndexWriter(folder);
  const segment = new SegmentWriter(writer);
  const slots = Uint16Array.from({ length: 16 }, (_, i) => i + 1);
  const keys = new Uint32Array(2);
  writeBandKeys(slots, 16, banding, keys);
  const document = {
    ...{ slots, keys, contentKey: Uint32Array.of(1, 2, 3, 4), textKey: Uint32Array.of(5, 6, 7, 8) },
    ...{ id: Buffer.from('i'), location: Buffer.from('l#1'), hashes: Uint32Array.of(1, 0, 2, 1) },
  };
  segment.append(rowOf(document, 7));
  const made = segment.finish(sortUnique64);
  const seen = writer.withSeen(made, Uint16Array.of(dayOfDate('2026-11-28')!));
  const entry = writer.withRemoved(seen, Uint8Array.of(1));
  writer.commit({
    portions: [{ number: 7, name: 'p', added: '2026-11-28', documents: 1 }],
    segments: [entry],
  });
  writer.close();
  const ofSegment = ['signatures', 'bands', 'documents', 'names', 'sets'].map((name) => `segment-1/${name}`);
  const written = [...ofSegment, 'seen-2', 'removed-3', 'about.txt'].map((path) => {
    const bytes = readFileSync(join(folder, path));
    const name = basename(path);
    return `${name} ${bytes.toString('hex').replace(/(.{64})(?=.)/g, '$1\n  ')}\n`;
  });
  t.is(written.join(''), listed);
  const index = openedIndex(folder);
  const [read] = index.segments;
  t.true(read!.isRemoved(0));
  t.deepEqual([...readSeen(folder, read!.entry)], [dayOfDate('2026-11-28')]);
  const record = read!.record(0);
  t.deepEqual([...read!.set(record)], [1, 0, 2, 1]);
  t.deepEqual([...read!.signature(0)], [...slots]);
  t.like(record, { portion: 7, textBytes: 9, tokens: 2, setCount: 2 });
  index.close();
});

test('dates are days in UTC', (t) => {
  t.is(dayOfDate('1970-01-02'), 1);
  t.is(dateOfDay(dayOf(Date.UTC(2026, 10, 28, 23))), '2026-11-28');
  for (const wrong of ['2026-02-30', '2026-1-1', 'today', '']) t.is(dayOfDate(wrong), null);
});
