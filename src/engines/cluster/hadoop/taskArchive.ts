/** The archive that is shipped to an engine's machines: the program of tasks and, where asked for, Node. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

interface ShippedFile {
  readonly name: string;
  readonly path: string;
  readonly isProgram: boolean;
}

/** The files of the archive. `node`: the program to ship; null: none. */
async function shippedFiles(folder: string, node: string | null): Promise<readonly ShippedFile[]> {
  const names = (await readdir(folder)).sort();
  const own = names.map((name) => ({ name, path: join(folder, name), isProgram: false }));
  return node === null ? own : [...own, { name: 'node', path: node, isProgram: true }];
}

/** A name for the archive with a hash of its content. */
export async function archiveName(folder: string, node: string | null): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, path } of await shippedFiles(folder, node)) {
    hash.update(`${name} ${statSync(path).size} `);
    for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  }
  return `mr-minhash-${hash.digest('hex').slice(0, 12)}.tgz`;
}

/** The bytes of the archive: a gzipped tar. */
export async function* archiveOf(
  folder: string,
  node: string | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packer = createGzip({ level: 1 });
  const fed = Readable.from(tarOf(await shippedFiles(folder, node)));
  fed.on('error', (error) => packer.destroy(error));
  for await (const chunk of fed.pipe(packer)) yield chunk as Uint8Array;
}

const BLOCK = 512;

async function* tarOf(files: readonly ShippedFile[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { name, path, isProgram } of files) {
    const { size } = statSync(path);
    yield headOf(name, size, isProgram ? '0000755' : '0000644');
    for await (const chunk of createReadStream(path, { end: Math.max(0, size - 1) }))
      yield chunk as Uint8Array;
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** A ustar header: name, mode, size and checksum in fixed places. */
function headOf(name: string, size: number, mode: string): Buffer {
  const head = Buffer.alloc(BLOCK);
  head.write(name, 0);
  head.write(mode, 100);
  head.write('0000000', 108);
  head.write('0000000', 116);
  head.write(size.toString(8).padStart(11, '0'), 124);
  head.write('00000000000', 136);
  head.write('        ', 148);
  head.write('0', 156);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}
