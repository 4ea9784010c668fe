/** Writes a corpus and computes its digest: the same corpus has the same digest on every machine. */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const BUFFERED = 1 << 20;

export class CorpusWriter {
  readonly #folder: string;
  readonly #hash = createHash('sha256');
  readonly #folders = new Set<string>();
  #open: { file: number; waiting: string[]; length: number } | null = null;
  bytes = 0;
  files = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A whole file of bytes. */
  file(path: string, bytes: Buffer): void {
    this.#begin(path);
    this.#count(bytes);
    writeFileSync(join(this.#folder, path), bytes);
  }

  /** Opens a file that `append` adds to, and closes the previous one. */
  begin(path: string): void {
    this.end();
    this.#begin(path);
    this.#open = { file: openSync(join(this.#folder, path), 'w'), waiting: [], length: 0 };
  }

  /** Adds a binary string (one char code per byte) to the open file. */
  append(text: string): void {
    const open = this.#open!;
    open.waiting.push(text);
    open.length += text.length;
    if (open.length >= BUFFERED) this.#flush();
  }

  /** Adds a record as a line of JSON; its strings are binary strings of UTF-8. */
  record(fields: Readonly<Record<string, string>>): void {
    const decoded = Object.entries(fields).map(([name, value]) => [
      name,
      Buffer.from(value, 'latin1').toString(),
    ]);
    const line = `${JSON.stringify(Object.fromEntries(decoded))}\n`;
    this.append(Buffer.from(line).toString('latin1'));
  }

  /** Closes the open file. */
  end(): void {
    if (this.#open === null) return;
    this.#flush();
    closeSync(this.#open.file);
    this.#open = null;
  }

  /** SHA-256 of the paths and bytes of all files, in the order of writing. */
  digest(): string {
    this.end();
    return this.#hash.digest('hex');
  }

  #begin(path: string): void {
    const folder = dirname(join(this.#folder, path));
    if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true });
    this.#folders.add(folder);
    this.#hash.update(`\u0000${path}\u0000`);
    this.files++;
  }

  #flush(): void {
    const open = this.#open!;
    const bytes = Buffer.from(open.waiting.join(''), 'latin1');
    this.#count(bytes);
    for (let written = 0; written < bytes.length; ) written += writeSync(open.file, bytes, written);
    open.waiting = [];
    open.length = 0;
  }

  #count(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }
}
