/**
 * The program of the task alone, as an engine ships it to its machines: `node task.cjs NAME map|reduce --io FORM --manifest FILE`.
 * It behaves as `mr-minhash task` does, and starts faster.
 */
import { parseArgs } from 'node:util';
import { ERRORS, MinHashError } from '../../errors.js';
import { tell } from './descriptors.js';
import { closedCode, runTaskProcess, taskRequest } from './taskProcess.js';

function main(argv: readonly string[]): number {
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { io: { type: 'string' }, manifest: { type: 'string' } },
    });
    const { request, faults } = taskRequest(positionals, values);
    if (faults.length > 0) return wrongUse(faults);
    runTaskProcess(request, process.env);
    return 0;
  } catch (error) {
    if (/^ERR_PARSE_ARGS/.test(String((error as NodeJS.ErrnoException).code)))
      return wrongUse([(error as Error).message]);
    return failed(error);
  }
}

function wrongUse(faults: readonly string[]): number {
  tell(2, faults.map((fault) => `error: ${fault}\n`).join(''));
  return 2;
}

function failed(error: unknown): number {
  if (!(error instanceof MinHashError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(2, `error: a defect of mr-minhash: ${text}\n`);
    return 1;
  }
  for (const { code, detail, remedy = ERRORS[code].remedy } of error.faults)
    tell(2, `error: ${ERRORS[code].text}: ${detail}\nhint: ${remedy}\n`);
  return closedCode(error) ?? error.exitCode;
}

// No output is lost: every write blocked until it was done.
process.exit(main(process.argv.slice(2)));
