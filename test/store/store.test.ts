/** The block store: one suite over memory and folder, then what only a folder can do wrong. */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { checkBlock, decodeBlock, encodeBlock } from '../../src/blocks/block.js';
import { MinHashError } from '../../src/errors.js';
import { NODE_FILES } from '../../src/store/fileDoor.js';
import { createFolderStore, createMemoryStore, type Store } from '../../src/store/store.js';

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-'));
  try {
    use(folder);
  } finally {
    chmodSync(folder, 0o755);
    rmSync(folder, { recursive: true });
  }
}

function withStores(use: (store: Store, name: string) => void): void {
  use(createMemoryStore(), 'memory');
  inFolder((folder) => use(createFolderStore(join(folder, 'made', 'here')), 'folder'));
}

const block = (): ArrayBuffer =>
  encodeBlock('tile', { rows: 3 }, { row: Uint32Array.of(1, 2, 3) }).buffer as ArrayBuffer;

const bytesOf = (store: Store, name: string): number[] => Array.from(new Uint8Array(store.get(name)));

test('a store gives back the bytes that were put, blocks and others, of any name', (t) => {
  const names = [
    'a', 'A', 'a/b', '../up', '.', '..', 'a b', 'tab\t', 'nul\0', 'ünï', '\ud800', '日本', '%41', 'a%2fb', 'con',
  ]; // biome-ignore format: a list to read across
  withStores((store, kind) => {
    names.forEach((name, i) => {
      store.put(name, Uint8Array.of(i, 255).buffer);
    });
    store.put('block', block());
    store.put('empty', new ArrayBuffer(0));
    names.forEach((name, i) => {
      t.deepEqual(bytesOf(store, name), [i, 255], `${kind} ${name}`);
    });
    t.deepEqual([...decodeBlock(store.get('block'), 'tile').columns.row!], [1, 2, 3]);
    t.is(store.get('empty').byteLength, 0);
  });
});

test('a store knows what it holds, forgets what is deleted, and counts its bytes', (t) => {
  withStores((store, kind) => {
    t.is(store.bytes, 0);
    t.false(store.has('a'));
    store.put('a', block());
    const one = store.bytes;
    t.true(one >= block().byteLength, kind);
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
});

test('a name is written once until it is deleted', (t) => {
  withStores((store) => {
    store.put('a', block());
    t.throws(() => store.put('a', block()), { message: 'the block a was written twice' });
    t.is(store.get('a').byteLength, block().byteLength);
  });
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
        withStores((store) => {
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
        });
      }),
      { seed: 1, numRuns: 40 },
    ),
  );
});

test('the memory store keeps the very buffer, shared or not, and counts a moved one with its old length', (t) => {
  const store = createMemoryStore();
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

test('a folder store finds the blocks of an earlier run, and removes half-written files', (t) => {
  inFolder((folder) => {
    const first = createFolderStore(folder);
    first.put('signatures/7', block());
    first.put('raw', Uint8Array.of(9).buffer);
    writeFileSync(join(folder, 'half.block.part'), 'abc');
    writeFileSync(join(folder, 'notes.txt'), 'not ours');
    const second = createFolderStore(folder);
    t.is(second.bytes, first.bytes);
    t.true(second.has('signatures/7'));
    t.deepEqual(bytesOf(second, 'raw'), [9]);
    t.deepEqual(readdirSync(folder).sort(), ['notes.txt', 'raw.bytes', 'signatures%2f7.block']);
    // A task that runs again may write its outputs again, even in another form.
    second.put('raw', block());
    second.put('signatures/7', Uint8Array.of(1, 2).buffer);
    t.deepEqual(bytesOf(second, 'signatures/7'), [1, 2]);
    t.deepEqual(readdirSync(folder).sort(), ['notes.txt', 'raw.block', 'signatures%2f7.bytes']);
    t.is(createFolderStore(folder).bytes, second.bytes);
  });
});

test('a folder store seals blocks of shared memory, too, and gives them back in memory of their own', (t) => {
  inFolder((folder) => {
    const store = createFolderStore(folder);
    store.put('s', encodeBlock('bands', {}, { key: Uint32Array.of(4, 5) }, true).buffer);
    const buffer = store.get('s');
    t.true(buffer instanceof ArrayBuffer);
    t.deepEqual([...checkBlock(buffer, 'bands', 's').columns.key!], [4, 5]);
    t.not(store.get('s'), buffer);
  });
});

test('any flipped bit and any lost or added byte of a file is found, and the file is named', (t) => {
  inFolder((folder) => {
    const store = createFolderStore(folder);
    store.put('block', encodeBlock('tile', { a: 1 }, { row: Uint8Array.of(1) }).buffer);
    store.put('raw', Uint8Array.of(1, 2, 3, 4, 5).buffer);
    for (const [name, file] of [
      ['block', 'block.block'],
      ['raw', 'raw.bytes'],
    ] as const) {
      const path = join(folder, file);
      const whole = readFileSync(path);
      const check = (damage: string): void => {
        const error = t.throws(() => store.get(name), { instanceOf: MinHashError }, `${name}: ${damage}`);
        t.regex(error!.message, new RegExp(file));
        t.regex((error as MinHashError).code, /^BLOCK_/);
      };
      for (let bit = 0; bit < 8 * whole.length; bit++) {
        const damaged = Buffer.from(whole);
        damaged[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, damaged);
        check(`bit ${bit}`);
      }
      writeFileSync(path, Buffer.concat([whole, Buffer.of(0)]));
      check('a byte more');
      writeFileSync(path, whole);
      for (let length = whole.length - 1; length >= 0; length--) {
        truncateSync(path, length);
        check(`length ${length}`);
      }
      rmSync(path);
      check('removed');
      writeFileSync(path, whole);
      t.notThrows(() => store.get(name));
    }
  });
});

test('a folder that cannot be made or written is WRITE_FAILED, and leaves no half-written file', (t) => {
  inFolder((folder) => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    t.throws(() => createFolderStore(join(file, 'below')), {
      code: 'WRITE_FAILED',
      message: /below \(ENOTDIR\)/,
    });
    t.throws(() => createFolderStore(file), { code: 'WRITE_FAILED', message: /EEXIST|ENOTDIR/ });
    const inner = join(folder, 'inner');
    const store = createFolderStore(inner);
    rmSync(inner, { recursive: true });
    t.throws(() => store.put('a', block()), { code: 'WRITE_FAILED', message: /inner.a\.block \(ENOENT\)/ });
    t.false(store.has('a'));
    t.is(store.bytes, 0);
  });
});

for (const call of ['open', 'write', 'sync', 'close', 'rename'] as const) {
  test(`a put whose ${call} fails leaves no trace, and says whether the disk is full`, (t) => {
    inFolder((folder) => {
      for (const [system, code] of [
        ['ENOSPC', 'DISK_FULL'],
        ['EIO', 'WRITE_FAILED'],
      ]) {
        const fails = (): never => {
          throw Object.assign(new Error('words of the platform'), { code: system });
        };
        const store = createFolderStore(folder, { ...NODE_FILES, [call]: fails });
        const error = t.throws(() => store.put('a', block()), { code: code! });
        t.regex(error!.message, new RegExp(`a\\.block \\(${system}\\)`));
        t.deepEqual(readdirSync(folder), []);
        t.false(store.has('a'));
      }
    });
  });
}

test('a name that no file can carry is a defect of the caller', (t) => {
  inFolder((folder) => {
    const store = createFolderStore(folder);
    for (const name of ['', 'x'.repeat(201)])
      t.throws(() => store.put(name, block()), { message: /no name/ });
  });
});
