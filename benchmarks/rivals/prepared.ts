/**
 * The input of every tool: JSON lines of id and text, where a text is its words in lower case, separated by single
 * spaces. So all tools make the same shingles of five words, and none pays for normalization. Documents without a word
 * are omitted, because some tools fail on them.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { canonicalTokens } from '../../src/text/tokens.js';
import { CorpusWriter } from '../corpora/writing.js';

export interface Prepared {
  readonly file: string;
  /** Ids by position, in the order of the file. */
  readonly ids: readonly string[];
  readonly positions: ReadonlyMap<string, number>;
  /** By position: the first one with the same words. */
  readonly firsts: Uint32Array;
  readonly textBytes: number;
  /** SHA-256 of the input. */
  readonly digest: string;
}

async function* recordsOf(
  corpus: string,
): AsyncGenerator<{ readonly id: string; readonly bytes: Uint8Array }> {
  if (statSync(corpus).isDirectory()) {
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).sort();
    for (const path of paths) {
      const file = join(corpus, path);
      if (!statSync(file).isFile()) continue;
      if (/\.(jsonl|ndjson|json|gz)$/.test(path))
        throw new Error(`${path}: a folder holds texts; records are given as one file of JSON lines`);
      yield { id: path, bytes: readFileSync(file) };
    }
    return;
  }
  for await (const line of createInterface({ input: createReadStream(corpus) })) {
    const { id, text } = JSON.parse(line) as { readonly id: string; readonly text: string };
    yield { id, bytes: Buffer.from(text) };
  }
}

/** Writes the input to a folder. `corpus` is a folder of texts, or a file of JSON lines with id and text. */
export async function prepare(corpus: string, folder: string): Promise<Prepared> {
  const out = new CorpusWriter(folder);
  out.begin('words.jsonl');
  const positions = new Map<string, number>();
  const firstOf = new Map<string, number>();
  const firsts: number[] = [];
  let textBytes = 0;
  for await (const { id, bytes } of recordsOf(corpus)) {
    const text = Buffer.from(canonicalTokens(bytes, { unit: 'words' }).join(' '));
    if (text.length === 0) continue;
    const position = positions.size;
    const key = createHash('sha256').update(text).digest('base64');
    if (!firstOf.has(key)) firstOf.set(key, position);
    firsts.push(firstOf.get(key)!);
    positions.set(id, position);
    textBytes += text.length;
    out.record({ id: Buffer.from(id).toString('latin1'), text: text.toString('latin1') });
  }
  const digest = out.digest();
  const file = join(folder, 'words.jsonl');
  return { file, ids: [...positions.keys()], positions, firsts: Uint32Array.from(firsts), textBytes, digest };
}
