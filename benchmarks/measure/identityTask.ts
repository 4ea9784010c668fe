/** A task process that hands on its records: what the protocol alone costs. `node identityTask.js FORM MANIFEST`. */
import { runTaskProcess, type TaskForm } from '../../src/tasks/process/taskProcess.js';
import type { StreamStage } from '../../src/tasks/stream/stage.js';

const IDENTITY: StreamStage = {
  ...{ kinds: Array.from({ length: 256 }, (_, kind) => kind), shuffles: [], prefix: 0, reduce: null },
  map(input, out) {
    while (input.next()) out.put(input.key, input.value);
  },
};

const [io, manifest] = process.argv.slice(2) as [TaskForm, string];
runTaskProcess({ name: 'identity', stage: IDENTITY, side: 'map', io, manifest }, process.env);
