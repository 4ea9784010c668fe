import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RunOptions } from '../../src/options/check.js';
import { effectiveOptions, readConfigFile } from '../../src/options/configFile.js';
import { sharedFolder } from '../data/temporaryFolder.js';
import { resolveOptions } from './resolveOptions.js';

const folder = sharedFolder({});

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('readConfigFile reads one object and reports anything else', (t) => {
  t.deepEqual(readConfigFile(written('good.json', '\ufeff{"hashes": 64}')), { hashes: 64 });
  const broken = (name: string, text: string) =>
    t.throws(() => readConfigFile(written(name, text)), { code: 'OPTION_INVALID', message: /: config / });
  broken('broken.json', '{"hashes": 64');
  broken('list.json', '[]');
  broken('null.json', 'null');
  t.throws(() => readConfigFile(join(folder, 'absent.json')), { message: /no such file/ });
});

test('the effective options resolve to the same parameters again', (t) => {
  const wishes: RunOptions[] = [
    { paths: ['x'] },
    { paths: ['x', 'y'], textField: 'text', bands: 20, rows: 5, maxDocument: '10MB', include: '*.md' },
    { paths: ['x'], shingle: 'stopwords:3', stopWords: ['a'], rows: 4, shards: 16, threads: 0, dryRun: true },
  ];
  for (const options of wishes) {
    const resolved = resolveOptions(options);
    const effective = effectiveOptions(options, resolved);
    t.deepEqual(resolveOptions(JSON.parse(JSON.stringify(effective)) as RunOptions), resolved);
  }
  const effective = effectiveOptions({ paths: ['x'] }, resolveOptions({ paths: ['x'] }));
  t.is(effective.hashes, 128);
  t.false('textField' in effective || 'bands' in effective);
});
