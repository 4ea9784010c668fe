/**
 * A task process whose stages are those of tests: `node echoTask.js NAME SIDE IO MANIFEST`, as taskEntry.ts but for that.
 */
import { MinHashError } from '../../../src/errors.js';
import { closedCode, runTaskProcess, type TaskForm } from '../../../src/tasks/process/taskProcess.js';
import type { Side } from '../../../src/tasks/stream/runTask.js';
import { ECHO_STAGES } from './echoStages.js';

const [name, side, io, manifest] = process.argv.slice(2) as [string, Side, TaskForm, string];
try {
  runTaskProcess({ name, stage: ECHO_STAGES[name]!, side, io, manifest }, process.env);
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exit(closedCode(error) ?? (error instanceof MinHashError ? error.exitCode : 1));
}
