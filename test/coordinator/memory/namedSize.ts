/** A run that is refused for lack of memory, and one with exactly the size that the refusal names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type ErrorCode, MinHashError, type RunOptions, run } from '../../../src/index.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

/** The least with one thread, and with two. */
const LEAST = 84e6;
const LEAST_OF_TWO = 136e6;

export const jsonLine = (record: object): string => `${JSON.stringify(record)}\n`;

export interface Shape {
  readonly name: string;
  readonly file: string;
  readonly content: () => string | Uint8Array;
  readonly code: ErrorCode;
  /** None of them is left out by the run that has room. */
  readonly documents: number;
  readonly options?: Partial<RunOptions>;
  /** Two workers; else this thread alone. */
  readonly hasWorkers?: true;
}

export async function checkNamedSize(
  t: ExecutionContext,
  { file, content, code, documents, options = {}, hasWorkers }: Shape,
): Promise<void> {
  const top = temporaryFolder(t, { [`in/${file}`]: content() });
  const given = {
    ...options,
    paths: [join(top, 'in')],
    out: join(top, 'out'),
    threads: hasWorkers === true ? 2 : 0,
    force: true,
  };
  const named = async (memory: number, expected: ErrorCode): Promise<string> => {
    const error = await t.throwsAsync(run({ ...given, memory }), { instanceOf: MinHashError });
    t.is(error.code, expected);
    t.false(existsSync(join(top, 'out', 'manifest.json')));
    return /memory (\d+)MB has room|expected (?:at least )?(\d+)MB/.exec(error.message)!.slice(1).join('');
  };
  const size = await named(hasWorkers === true ? LEAST_OF_TWO : LEAST, code);
  await run({ ...given, memory: `${size}MB` });
  const manifest: unknown = JSON.parse(readFileSync(join(top, 'out', 'manifest.json'), 'utf8'));
  t.like(manifest, { counts: { documents } });
}
