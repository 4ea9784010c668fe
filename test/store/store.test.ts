/** A store that is not opened, in memory; spillingStore.test.ts has what goes to the disk. */
import test from 'ava';
import fc from 'fast-check';
import { decodeBlock, encodeBlock } from '../../src/blocks/block.js';
import { Store } from '../../src/store/store.js';

const block = (): ArrayBuffer =>
  encodeBlock('tile', { rows: 3 }, { row: Uint32Array.of(1, 2, 3) }).buffer as ArrayBuffer;

const bytesOf = (store: Store, name: string): number[] => Array.from(new Uint8Array(store.get(name)));

test('a store gives back the bytes that were put, blocks and others, of any name', (t) => {
  const names = [
    'a', 'A', 'a/b', '../up', '.', '..', 'a b', 'tab\t', 'nul\0', 'ünï', '\ud800', '日本', '%41', 'a%2fb', 'con',
  ]; // biome-ignore format: a list to read across
  const store = new Store();
  names.forEach((name, i) => {
    store.put(name, Uint8Array.of(i, 255).buffer);
  });
  store.put('block', block());
  store.put('empty', new ArrayBuffer(0));
  names.forEach((name, i) => {
    t.deepEqual(bytesOf(store, name), [i, 255], name);
  });
  t.deepEqual([...decodeBlock(store.get('block'), 'tile').columns.row!], [1, 2, 3]);
  t.is(store.get('empty').byteLength, 0);
});

test('a store knows what it holds, forgets what is deleted, and counts its bytes', (t) => {
  const store = new Store();
  t.is(store.bytes, 0);
  t.false(store.has('a'));
  store.put('a', block());
  const one = store.bytes;
  t.true(one >= block().byteLength);
  store.put('b', block());
  t.is(store.bytes, 2 * one);
  store.delete('a');
  store.delete('a');
  store.delete('never there');
  t.is(store.bytes, one);
  t.deepEqual([store.has('a'), store.has('b')], [false, true]);
  t.throws(() => store.get('a'), { message: 'there is no block a' });
  store.put('a', block());
  t.is(store.bytes, 2 * one);
});

test('a name is written once until it is deleted', (t) => {
  const store = new Store();
  store.put('a', block());
  t.throws(() => store.put('a', block()), { message: 'the block a was written twice' });
  t.is(store.get('a').byteLength, block().byteLength);
});

test('a store does what a plain map of names does', (t) => {
  const step = fc.tuple(
    fc.constantFrom('put', 'delete', 'get'),
    fc.constantFrom('x', 'y', 'X', '/'),
    fc.uint8Array(),
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const store = new Store();
        const model = new Map<string, number[]>();
        for (const [action, name, bytes] of steps) {
          if (action === 'delete') {
            store.delete(name);
            model.delete(name);
          } else if (action === 'put' && !model.has(name)) {
            store.put(name, bytes.slice().buffer);
            model.set(name, [...bytes]);
          }
          if (store.has(name) !== model.has(name)) throw new Error('has');
          if (model.has(name) && `${bytesOf(store, name)}` !== `${model.get(name)}`) throw new Error('get');
        }
      }),
      { seed: 1, numRuns: 40 },
    ),
  );
});

test('a store keeps the very buffer, shared or not, and counts a moved one with its old length', (t) => {
  const store = new Store();
  const plain = new ArrayBuffer(10);
  const shared = new SharedArrayBuffer(20);
  store.put('plain', plain);
  store.put('shared', shared);
  t.is(store.get('plain'), plain);
  t.is(store.get('shared'), shared);
  structuredClone(plain, { transfer: [plain] });
  t.is(store.bytes, 30);
  store.delete('plain');
  t.is(store.bytes, 20);
});
