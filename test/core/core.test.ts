/** The core by itself, as it is shipped, and the bytes of signatures as other programs read them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import * as core from '../../src/core.js';
import * as library from '../../src/index.js';
import { differences } from './conformance.js';
import { blockOf, vectorsOfPage } from './vectors.js';

const SHIPPED = fileURLToPath(new URL('../../package/core.js', import.meta.url));

test('the core gives what docs/dev/signature-format.md shows, from its sources and as it is shipped', async (t) => {
  const vectors = vectorsOfPage();
  t.is(vectors.length, 6);
  t.deepEqual(differences(core, vectors), []);
  t.deepEqual(differences(await import(SHIPPED), vectors), []);
});

test('a core that gives something else is found', (t) => {
  const [first] = vectorsOfPage();
  const other = { ...core, resemblance: () => 0.25 };
  t.deepEqual(differences(other, [{ ...first!, base64: 'TU1T' }]).length, 2);
});

test('what is shipped imports nothing and names nothing of Node', (t) => {
  const text = readFileSync(SHIPPED, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  t.notRegex(text, /^import\b|\bimport\(|\brequire\b|\bnode:|\bprocess\.|\bBuffer\./m);
});

test('every name of the core is the same thing in the library', (t) => {
  const names = new Map<string, unknown>(Object.entries(library));
  const ofCore = Object.entries(core);
  t.true(ofCore.length > 30, `${ofCore.length} names`);
  for (const [name, value] of ofCore) t.is(names.get(name), value, name);
});

test('the reader in Python has at most 40 lines', (t) => {
  t.true(blockOf('python').split('\n').length <= 40);
});
