/**
 * The program of the Node tasks of the SQL pipeline: `node task.cjs KIND PARAMS.json`. Reads rows from standard input and writes rows to
 * standard output. Tasks are pure functions. An error ends the process with a status other than 0.
 */
import { readFileSync } from 'node:fs';
import { kernelHere } from '../../../tasks/kernelModule.js';
import type { TaskParams } from '../statements.js';
import { setTask, sketchTask } from './documentTasks.js';
import { decideDrops } from './dropTask.js';
import { pairLeaders } from './leaderTask.js';
import { RowOutput, rowsIn } from './lines.js';

async function runTask(kind: string | undefined, paramsFile: string | undefined): Promise<void> {
  const task = JSON.parse(readFileSync(paramsFile ?? '', 'utf8')) as TaskParams;
  const output = new RowOutput();
  if (kind === 'drops') decideDrops(rowsIn(), output.row, task.thresholds.length);
  else if (kind === 'leaders') pairLeaders(rowsIn(), output.row, task.leaders);
  else if (kind === 'sketch' || kind === 'sets') {
    const batchTask = kind === 'sketch' ? sketchTask : setTask;
    const work = batchTask(await kernelHere(), task.params, output.row);
    for (const row of rowsIn()) await work(row);
  } else throw new Error(`${kind}: expected sketch, sets, leaders or drops`);
  output.flush();
}

runTask(process.argv[2], process.argv[3]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
