/** Stages that hand on what they are given, and some that do wrong; and manifests for them. */
import { VERSION } from '../../../src/store/packageFiles.js';
import type { RecordSink, RecordSource, StageSink, StageSource } from '../../../src/tasks/stream/records.js';
import type { StageFacts, StreamStage } from '../../../src/tasks/stream/stage.js';
import {
  NOTHING_LEARNT,
  RECORD_FORMAT,
  runHash,
  type SealedManifest,
  sealManifest,
  type TaskManifest,
} from '../../../src/tasks/stream/taskManifest.js';
import { parametersFor } from '../../output/resultSample.js';
import { filesOf } from '../manifestTables.js';

function pass(input: RecordSource, out: RecordSink, { facts }: { readonly facts: StageFacts }): void {
  while (input.next()) {
    out.put(input.key, input.value);
    facts.add('value bytes', input.value.length);
  }
}

function passRows(input: StageSource, out: StageSink): void {
  for (let rows = input.rows(); rows !== null; rows = input.rows()) out.rows(rows);
}

const stage = (given: Partial<StreamStage>): StreamStage => ({
  ...{
    kinds: Array.from({ length: 256 }, (_, kind) => kind),
    shuffles: ['key'],
    prefix: 1,
    map: pass,
    reduce: pass,
  },
  ...given,
});

export const ECHO_STAGES: Readonly<Record<string, StreamStage>> = {
  pass: stage({}),
  rows: stage({ row: () => 2, map: passRows, reduce: passRows }),
  /** A line becomes a record: where it stands, and its bytes behind a byte of their own, for lines may be empty. */
  lines: stage({
    kinds: null,
    map(input, out) {
      const encoder = new TextEncoder();
      while (input.next()) {
        const { file, start, bytes } = input.row;
        out.put(encoder.encode(`${file}:${start}`), Uint8Array.of(1, ...bytes));
      }
    },
  }),
  sides: stage({
    map(input, out, here) {
      while (input.next()) out.put(input.key, here.side('wanted', 2, 3));
    },
  }),
  leaves: stage({
    map(input, out) {
      if (input.next()) out.put(input.key, input.value);
    },
  }),
  invents: stage({
    map(input, out) {
      while (input.next());
      out.put(Uint8Array.of(1), Uint8Array.of(1));
    },
  }),
};

export function manifestOf(changes: Partial<TaskManifest> = {}): SealedManifest {
  const shared = {
    ...{ format: RECORD_FORMAT, version: VERSION, params: parametersFor(), files: filesOf([]) },
    ...changes,
  };
  return sealManifest({ ...NOTHING_LEARNT, job: 'trial', run: runHash(shared), ...shared });
}
