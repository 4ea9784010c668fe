import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { resumeCommand, resumptionLines } from '../../../cli/show/resume.js';
import { safeText } from '../../../cli/terminal.js';
import { encodeBlock } from '../../../src/blocks/block.js';
import { shellQuoted } from '../../../src/options/shellWord.js';
import { manifestParameters } from '../../../src/output/manifest.js';
import { writeRunState } from '../../../src/output/runState.js';
import { sharedFolder } from '../../data/temporaryFolder.js';
import { parametersFor } from '../../output/resultSample.js';

const folder = sharedFolder({});

test('what shellQuoted gives, and the terminal shows, a shell takes for the word', (t) => {
  const words = [
    'out',
    'a/b-c.d_e',
    '',
    ' ',
    "it's",
    'a"b',
    '$HOME',
    'a\\b',
    '*',
    'x;y',
    'ü',
    '日本',
    '~',
    '-x',
    '#',
  ];
  for (const word of words) {
    const shown = safeText(shellQuoted(word));
    t.is(execFileSync('/bin/sh', ['-c', `printf %s ${shown}`], { encoding: 'utf8' }), word, shown);
  }
  t.is(shellQuoted('mr-minhash-out'), 'mr-minhash-out');
});

test('a word that a terminal cannot show is escaped as bash does', (t) => {
  t.is(shellQuoted("a\nb'c\\"), "$'a\\u000ab\\'c\\\\'");
  t.is(safeText(shellQuoted('a\u202eb')), "$'a\\u202eb'");
});

function unfinished(name: string, noted: boolean): string {
  const out = join(folder, name);
  mkdirSync(join(out, '.work'), { recursive: true });
  writeFileSync(join(out, '.mr-minhash'), '{"tool": "mr-minhash"}');
  const state = { version: '1', unicode: '15', key: 'k', options: {} };
  const parameters = manifestParameters(parametersFor());
  if (noted) writeRunState(out, { ...state, parameters }, encodeBlock('inputs', {}, {}));
  return out;
}

test('resumeCommand names an unfinished run that noted its inputs, and no other folder', (t) => {
  const out = unfinished('with blank', true);
  t.is(resumeCommand(out), `mr-minhash run --resume --out '${out}'`);
  t.is(resumeCommand(unfinished('bare', false)), null);
  t.is(resumeCommand(join(folder, 'absent')), null);
  writeFileSync(join(out, '_SUCCESS'), '');
  writeFileSync(join(out, 'manifest.json'), '{"tool": "mr-minhash"}');
  t.is(resumeCommand(out), null);
});

test('every kind of resumption has its line, and at most ten damages are named', (t) => {
  const damage = Array.from({ length: 12 }, (_, i) => ({
    path: `out/.work/durable-${i}.log`,
    offset: 64 * i,
    expected: 'checksum 1',
    found: 'checksum 2',
  }));
  t.deepEqual(resumptionLines('out', { kind: 'nothing' }), [
    'resume: out holds no unfinished run, so one begins',
  ]);
  t.deepEqual(resumptionLines('out', { kind: 'finished', inputsCompared: true }), [
    'resume: out holds the finished result, nothing is left to do; the inputs are as they were',
  ]);
  t.regex(
    resumptionLines('out', { kind: 'finished', inputsCompared: false })[0]!,
    /of these PATHs, nothing is/,
  );
  t.deepEqual(resumptionLines('out', { kind: 'over', why: 'because', damage: [] }), [
    'resume: the run in out cannot be taken up and starts over: because',
  ]);
  const cut = [
    { path: 'out/.work/durable-000000.log', bytes: 1234 },
    { path: 'out/.work/durable-000001.log', bytes: 0 },
  ];
  const found = { kind: 'taken up', columnBlocks: 1, damage, cut } as const;
  const lines = resumptionLines('out', found);
  t.is(lines[0], 'resume: the run in out goes on; done so far: 1 column block');
  t.is(
    lines[2],
    'damaged: out/.work/durable-1.log, offset 64: expected checksum 1, found checksum 2; made anew',
  );
  t.is(lines.length, 14);
  t.is(lines[11], 'damaged: 2 more places; made anew');
  t.deepEqual(lines.slice(12), [
    'not finished: out/.work/durable-000000.log ends in an unfinished block of 1,234 bytes, as after a kill; made anew',
    'not finished: out/.work/durable-000001.log is empty, as after a kill; made anew',
  ]);
});
