/** One run of the built command as a process, with a digest of its result. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measured } from './process.js';

export const COMMAND = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const TIMEOUT = 3600;

export interface ProductRun {
  readonly wall: number;
  readonly cpu: number;
  readonly peakBytes: number;
  /** Milliseconds per stage, as the command reports them. */
  readonly stages: Readonly<Record<string, number>>;
  /** SHA-256 of the manifest, which has those of all result files and nothing about the execution. */
  readonly answer: string;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly textBytes: number;
}

interface Stats {
  readonly stages: readonly { readonly stage: string; readonly milliseconds: number }[];
  readonly throughput: { readonly text_bytes: number };
}

interface Manifest {
  readonly counts: Readonly<Record<string, unknown>>;
}

/** Runs `mr-minhash run` with the arguments, and throws if it fails; `program`: the command of another build. */
export async function runProduct(args: readonly string[], program = COMMAND): Promise<ProductRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-benchmark-'));
  try {
    return await runInto(join(scratch, 'out'), args, program);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The same, and the result is kept. */
export async function runInto(out: string, args: readonly string[], program = COMMAND): Promise<ProductRun> {
  const command = [program, 'run', ...args, '--out', out, '--quiet'];
  const { wall, cpu, peakBytes, code, stderr } = await measured(process.execPath, command, {
    timeout: TIMEOUT,
  });
  if (code !== 0) throw new Error(`mr-minhash run ${args.join(' ')} ended with ${code}: ${stderr}`);
  const manifest = readFileSync(join(out, 'manifest.json'));
  const { counts } = JSON.parse(manifest.toString()) as Manifest;
  const stats = JSON.parse(readFileSync(join(out, 'stats.json'), 'utf8')) as Stats;
  return {
    ...{ wall, cpu, peakBytes, counts },
    stages: Object.fromEntries(stats.stages.map(({ stage, milliseconds }) => [stage, milliseconds])),
    answer: createHash('sha256').update(manifest).digest('hex'),
    textBytes: stats.throughput.text_bytes,
  };
}
