/**
 * Checks the blocks that an earlier attempt left in `.work` before a run uses them: every block against its layout and the run. The
 * checksum of a block shows only damage of the disk: whoever writes a block can make a checksum for any content.
 *
 * Values that may be any number (hashes, keys, bytes of ids) cannot be checked.
 */
import { type Block, decodeBlock, heldColumns, isCount, type Json, must } from '../../blocks/block.js';
import { checkDocuments, countsIn, type TableBounds, type TableCounts } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import { MinHashError } from '../../errors.js';
import { createSketcher } from '../../sketch/family.js';
import { fieldsRead, type ResultParams } from '../../sketch/params.js';
import type { BlockCheck } from '../../store/blockLog.js';
import type { SketchReport } from '../../tasks/kinds/sketchTasks.js';

/** The families of blocks that an attempt leaves, each of one kind of that name. */
type Family = 'documents' | 'signatures';

/** By family, the check of a block. @throws MinHashError BLOCK_FOREIGN */
type Looks = Partial<Record<Family, (block: Block, name: string, report: Json) => void>>;

/** The number of a column block, which the name of the block and the report of its task must agree in. */
function numberIn(name: string, family: Family, report: Json): number {
  const number = Number(name.slice(family.length + 1));
  must(isCount(number) && NAMES[family](number) === name, 'the number of a column block');
  must((report as Partial<SketchReport> | null)?.block === number, `the report of column block ${number}`);
  return number;
}

/** The check of blocks, one after the other, that an earlier attempt at a run over `files` input files left. */
export function recalledCheck(params: ResultParams, files: number): BlockCheck {
  const bounds: TableBounds = {
    files,
    fields: fieldsRead(params).length,
    hasUnits: params.unit !== 'document',
    shingle: params.shingle,
  };
  // By column block: the number of documents in its table, and in its sketches, as far as they have been read.
  const tables = new Map<number, number>();
  const sketches = new Map<number, number>();
  const pair = (some: typeof tables, others: typeof tables, k: number, documents: number): void => {
    const count = others.get(k) ?? documents;
    must(count === documents, `${count} documents, as its other half has`);
    some.set(k, documents);
  };
  const looks: Looks = {
    documents(block, name, report) {
      const k = numberIn(name, 'documents', report);
      checkDocuments(block, bounds);
      const told = report as Partial<TableCounts> | null;
      const counts = countsIn(block);
      const isTold = Object.entries(counts).every(
        ([what, count]) => told?.[what as keyof TableCounts] === count,
      );
      must(isTold, `the report ${JSON.stringify(counts)}`);
      pair(tables, sketches, k, counts.documents);
    },
    ...(params.exactDuplicates
      ? {}
      : sketchLooks(params, (k, documents) => pair(sketches, tables, k, documents))),
  };
  return (name, report, bytes) => whatIsWrong(looks, name, report, bytes);
}

/** The checks of signatures. */
function sketchLooks(params: ResultParams, met: (k: number, documents: number) => void): Looks {
  const { stride } = createSketcher(params.sketch);
  return {
    signatures(block, name, report) {
      must(block.meta.stride === stride, `${stride} slots a signature`);
      const { slots } = heldColumns(block, { slots: 'u32' });
      must(slots.length % stride === 0, 'whole signatures');
      met(numberIn(name, 'signatures', report), slots.length / stride);
    },
  };
}

function whatIsWrong(looks: Looks, name: string, report: Json, bytes: ArrayBuffer): string | null {
  const family = name.split('/', 1)[0] as Family;
  if (!Object.hasOwn(looks, family)) return 'a run does not keep it';
  try {
    looks[family]!(decodeBlock(bytes, family, name), name, report);
    return null;
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    return error.code === 'BLOCK_FOREIGN' ? `expected ${error.faults[0]!.detail}` : error.message;
  }
}
