/**
 * `.work` of unfinished runs, forged: blocks, their names and reports are edited, and every checksum is made anew. What is
 * edited is drawn by a Mutator; the same number gives the same forgery.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  BLOCK_KINDS,
  type BlockKind,
  type Column,
  decodeBlock,
  encodeBlock,
  type Json,
  sealBlock,
} from '../../src/blocks/block.js';
import { findRun, fingerprintOf, readState, writeRunState } from '../../src/output/runState.js';
import { BlockLog, LogReader } from '../../src/store/blockLog.js';
import { readPlace } from '../../src/store/blockPlace.js';
import { NODE_FILES } from '../../src/store/fileDoor.js';

/** A block of a log with what stands beside it, all of which may be changed. */
export interface ForgedBlock {
  name: string;
  report: Json;
  kind: BlockKind;
  meta: Record<string, unknown>;
  columns: Record<string, Column>;
}

const isLog = (name: string): boolean => /^durable-\d+\.log$/.test(name);

/** The blocks in the logs of `out/.work`, in their order. */
export function loggedBlocks(out: string): ForgedBlock[] {
  const found = findRun(out);
  if (found.kind !== 'found') throw new Error(found.kind);
  const logs = readdirSync(join(out, '.work')).filter(isLog).sort();
  return logs.flatMap((log) =>
    [...new LogReader(join(out, '.work', log)).blocks(fingerprintOf(found.state))].map(
      ({ name, report, place }) => {
        const { kind, meta, columns } = decodeBlock(readPlace(place));
        return { name, report, kind, meta, columns: { ...columns } };
      },
    ),
  );
}

/** Writes one log with these blocks in place of all that are there. */
export async function writeLogged(out: string, blocks: readonly ForgedBlock[]): Promise<void> {
  const work = join(out, '.work');
  const state = readState(join(work, 'run.json'));
  if (state === null || 'expected' in state) throw new Error('no note');
  for (const log of readdirSync(work).filter(isLog)) rmSync(join(work, log));
  const log = new BlockLog(join(work, 'durable-000000.log'), fingerprintOf(state), NODE_FILES);
  for (const { name, report, kind, meta, columns } of blocks) {
    const block = encodeBlock(kind, meta, columns);
    sealBlock(block);
    void log.append(name, report, new Uint8Array(block.buffer));
  }
  await log.close();
}

export interface Forgery {
  readonly name: string;
  /** It puts a number into a column in which any may stand: who reads the block cannot tell. */
  readonly isFree: boolean;
  edit(blocks: ForgedBlock[]): void;
}

const NUMBERS = [0, 1, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 53, Number.NaN, 0.5, Number.POSITIVE_INFINITY];

function familyOf(name: string): string {
  return name.split('/', 1)[0]!;
}

/** Columns of hashes, keys, bytes, and of numbers that only the input can say. */
const FREE = new Set([
  ...[
    'slots',
    'values',
    'sampled',
    'whole',
    'idBytes',
    'skipIdBytes',
    'contentKey',
    'textKey',
    'flags',
    'textBytes',
    'bytes',
  ],
  ...[
    'record',
    'unit',
    'skipRecord',
    'skipFile',
    'skipCode',
    'fieldNumbers0',
    'fieldBytes0',
    'openedTime',
    'openedBytes',
  ],
]);

/** Of these the numbers are counts, or one less. */
const COUNTS = /^(record|unit|skipRecord|textBytes|openedBytes)$/;
const NO_COUNT = / = (NaN|0\.5|Infinity)$/;

/** Edits that can be told from what a run writes. */
export function absurdities(blocks: readonly ForgedBlock[]): Forgery[] {
  return forgeries(blocks).filter(({ isFree }) => !isFree);
}

/** Every edit of one block of every family. */
export function forgeries(blocks: readonly ForgedBlock[]): Forgery[] {
  const all: Forgery[] = [];
  const seen = new Set<string>();
  const add = (
    what: string,
    name: string,
    edit: (block: ForgedBlock, blocks: ForgedBlock[]) => void,
  ): void => {
    const column = /^(\w+)(?:\[| reversed)/.exec(what)?.[1];
    all.push({
      name: `${name}: ${what}`,
      isFree: column !== undefined && FREE.has(column) && !(COUNTS.test(column) && NO_COUNT.test(what)),
      edit: (some) => edit(some.find((block) => block.name === name)!, some),
    });
  };
  for (const { name, columns, meta, report } of blocks) {
    const family = familyOf(name);
    if (seen.has(family)) continue;
    seen.add(family);
    for (const [column, { length }] of Object.entries(columns)) {
      for (const at of new Set([0, length >> 1, length - 1])) {
        if (at < 0 || at >= length) continue;
        for (const value of NUMBERS) {
          add(`${column}[${at}] = ${value}`, name, (block) => {
            block.columns[column]![at] = value;
          });
        }
      }
      if (length > 1)
        add(`${column} reversed`, name, (block) => {
          block.columns[column]!.reverse();
        });
      if (length > 0)
        add(`${column} without its last`, name, (block) => {
          block.columns[column] = block.columns[column]!.slice(0, -1);
        });
      add(`${column} empty`, name, (block) => {
        block.columns[column] = block.columns[column]!.slice(0, 0);
      });
      add(`${column} twice`, name, (block) => {
        const one = block.columns[column]!;
        const Type = one.constructor as new (length: number) => typeof one;
        const two = new Type(2 * one.length + 1);
        two.set(one as never);
        two.set(one as never, one.length);
        block.columns[column] = two;
      });
      add(`${column} gone`, name, (block) => {
        delete block.columns[column];
      });
      add(`${column} of f64`, name, (block) => {
        block.columns[column] =
          block.columns[column] instanceof Float64Array
            ? Uint32Array.from(block.columns[column]!)
            : Float64Array.from(block.columns[column]!);
      });
    }
    for (const key of Object.keys(meta)) {
      for (const value of [...NUMBERS, 'x', null, [1]])
        add(`meta ${key} = ${JSON.stringify(value)}${Number.isNaN(value) ? ' NaN' : ''}`, name, (block) => {
          block.meta[key] = value;
        });
      add(`meta ${key} gone`, name, (block) => {
        delete block.meta[key];
      });
    }
    if (typeof report === 'object' && report !== null)
      for (const key of Object.keys(report)) {
        for (const value of [...NUMBERS.filter(Number.isFinite), 'x', null, [{ line: -1, code: 'x' }]])
          add(`report ${key} = ${JSON.stringify(value)}`, name, (block) => {
            block.report = { ...(block.report as object), [key]: value } as Json;
          });
      }
    for (const value of [null, 'x', 7, {}, []] as Json[])
      add(`report = ${JSON.stringify(value)}`, name, (block) => {
        block.report = value;
      });
    for (const kind of ['text', 'documents', 'signatures'] as const)
      if (BLOCK_KINDS[kind] !== BLOCK_KINDS[blocks.find((b) => b.name === name)!.kind])
        add(`kind ${kind}`, name, (block) => {
          block.kind = kind;
        });
    add('all columns gone', name, (block) => {
      block.columns = {};
    });
    const others = blocks.filter((other) => familyOf(other.name) === family);
    if (others.length > 1) {
      add('name of the next one', name, (_, some) => {
        const [a, b] = some.filter((other) => familyOf(other.name) === family);
        [a!.name, b!.name] = [b!.name, a!.name];
      });
      add('content of the next one', name, (block, some) => {
        const b = some.filter((other) => familyOf(other.name) === family)[1]!;
        Object.assign(block, { meta: b.meta, columns: b.columns, report: b.report });
      });
      add('all of a family change names', name, (_, some) => {
        const those = some.filter((other) => familyOf(other.name) === family);
        const names = those.map((one) => one.name).reverse();
        those.forEach((one, i) => {
          one.name = names[i]!;
        });
      });
    }
    for (const other of ['-1', '1.5', '1e0', 'NaN', '', '99999999999999999999', '../x', '00'])
      add(`named ${other}`, name, (block) => {
        block.name = `${block.name.slice(0, block.name.lastIndexOf('/'))}/${other}`;
      });
    for (const other of [
      'bands/0',
      'places',
      'bucketed',
      'ids',
      'keys/0/0',
      'cuts/0',
      'eliminated',
      'out',
      '__proto__',
    ])
      add(`also called ${other}`, name, (block, some) => {
        some.push({ ...block, name: other });
      });
  }
  add('documents and sketches change names together', blocks[0]!.name, (_, some) => {
    for (const block of some) {
      const [family, k] = block.name.split('/');
      if (/^(documents|signatures|fingerprints)$/.test(family!) && Number(k) < 2)
        block.name = `${family}/${1 - Number(k)}`;
    }
  });
  return all;
}

/** The record of inputs with a change, in place of what is there. */
export function writeInputs(
  out: string,
  edit: (block: { meta: Record<string, unknown>; columns: Record<string, Column> }) => void,
): void {
  const found = findRun(out);
  if (found.kind !== 'found') throw new Error(found.kind);
  const one = { meta: found.inputs.meta, columns: { ...found.inputs.columns } };
  edit(one);
  writeRunState(out, found.state, encodeBlock('inputs', one.meta, one.columns));
}
