/**
 * Tasks that read documents.
 *
 *      sketch   batch, spec           -> one row per document: location, keys, signature, bucket keys; rows of skipped documents; a last row
 *      sets     batch, spec, wanted   -> the shingles of wanted documents, sorted, in rows of at most PIECE
 *
 * The number of a row of `sketch` shows its kind. Documents are 0, 1, ... The last row of a batch is -1: it has the number of lines as
 * `record`, of documents as `flags` and of listed rows as `tokens`, a digest as `content`, and as `text` the numbers of records that
 * are not documents, by REASONS_LEFT_OUT. Rows -2, -3, ... are rows of skipped.tsv (skipped records, and documents with notes), with
 * the number of their code as `flags`.
 */
import { shingleSets } from '../../../../mappers/shingleSets.js';
import { documentSignatures } from '../../../../mappers/signatures.js';
import { typedColumns } from '../../../blocks/block.js';
import { ContentDigest } from '../../../blocks/contentDigest.js';
import { passedIn, REASONS_LEFT_OUT } from '../../../blocks/documents.js';
import { LISTED_CODES } from '../../../errors.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { SplitReader } from '../../../readers/reader.js';
import { LISTED_BITS, LISTED_FLAGS } from '../../../result/facts.js';
import { ByteWriter } from '../../../result/tables/escaping.js';
import type { ResultParams } from '../../../sketch/params.js';
import { batchParts, linesFile } from './batchParts.js';
import { type EmitRow, NULL_CELL } from './lines.js';

/** Maximum number of shingles per row: a line of 340 KB. */
const PIECE = 1 << 14;

const NOTED = LISTED_FLAGS.map(({ flag, code }) => ({ flag, code: LISTED_CODES.indexOf(code) }));

type BatchTask = (cells: readonly string[]) => Promise<void>;

/** The 128-bit key at word `at` as hexadecimal digits. */
function hexKey(words: ArrayLike<number>, at: number): string {
  let text = '';
  for (let i = at; i < at + 4; i++) text += words[i]!.toString(16).padStart(8, '0');
  return text;
}

/** Bytes as a cell of a result table. */
function cellText(writer: ByteWriter, bytes: Uint8Array): string {
  writer.clear();
  writer.appendEscaped(bytes, 0, bytes.length);
  return Buffer.from(writer.written()).toString('utf8');
}

/** The buckets of a document: numbers of its bands and keys, band * 2^32 + key. */
function bucketsOf(keys: Uint32Array, bands: number, document: number): string {
  const rows = keys.length / bands;
  return Array.from({ length: bands }, (_, band) => band * 2 ** 32 + keys[band * rows + document]!).join(',');
}

export function sketchTask(kernel: Kernel, params: ResultParams, emit: EmitRow): BatchTask {
  const reader = new SplitReader(kernel);
  const writer = new ByteWriter();
  const { bands } = params.banding;
  const { hashes } = params.sketch;
  return async ([batch, spec]) => {
    let [row, lines, listed] = [0, 0, 0];
    const digest = new ContentDigest();
    const leftOut = REASONS_LEFT_OUT.map(() => 0);
    const list = (file: number, record: number, code: number): void =>
      emit(batch!, -2 - listed++, file, record, code, '', '', '', 0, 0, 0, NULL_CELL, NULL_CELL);
    for await (const part of batchParts(spec!, reader, params)) {
      if ('lost' in part) {
        list(part.file, part.record, LISTED_CODES.indexOf(part.lost));
        continue;
      }
      const { documents, signatures } = documentSignatures(part.feed, kernel, params.shingle, params);
      const block = documents(part.lines());
      const { columns } = block;
      for (const [why, records] of passedIn(block).entries()) leftOut[why]! += records;
      const { file, record, flags, occurrences, tokens, textBytes, contentKey, textKey, idOffsets, idBytes } =
        columns;
      const numbered = (number: number): number => (number < 0 ? number : number + part.first);
      const { length } = flags!;
      const stride = signatures.meta.stride as number;
      const { slots, keys } = typedColumns(signatures, { slots: 'u16', keys: 'u32' });
      const ids = idBytes as Uint8Array;
      digest.add(contentKey!);
      for (let d = 0; d < length; d++) {
        const id = ids.subarray(idOffsets![d], idOffsets![d + 1]);
        const key = hexKey(contentKey!, 4 * d);
        if ((flags![d]! & LISTED_BITS) !== 0)
          for (const { flag, code } of NOTED)
            if ((flags![d]! & flag) !== 0) list(file![d]!, numbered(record![d]!), code);
        emit(
          ...[batch!, row++, file![d]!, numbered(record![d]!), flags![d]!],
          cellText(writer, id),
          ...[key, hexKey(textKey!, 4 * d), occurrences![d]!, tokens![d]!, textBytes![d]!],
          slots.subarray(d * stride, d * stride + hashes).join(','),
          bands === 0 ? NULL_CELL : bucketsOf(keys, bands, d),
        );
      }
      const { skipFile, skipRecord, skipCode } = columns;
      for (let i = 0; i < skipCode!.length; i++)
        list(skipFile![i]!, numbered(skipRecord![i]!), skipCode![i]!);
      lines += part.lines();
    }
    const file = linesFile(spec!);
    emit(
      ...[batch!, -1, file, file < 0 ? 0 : lines, row, ''],
      ...[digest.text(), leftOut.join(','), 0, listed, 0, NULL_CELL, NULL_CELL],
    );
  };
}

export function setTask(kernel: Kernel, params: ResultParams, emit: EmitRow): BatchTask {
  const reader = new SplitReader(kernel);
  return async ([batch, spec, wanted]) => {
    const documents = wanted!.split(',').map((text) => {
      const [row, file, record] = text.split(':').map(Number) as [number, number, number];
      return { row, file, record };
    });
    documents.sort((one, other) => one.row - other.row);
    let next = 0;
    for await (const part of batchParts(spec!, reader, params)) {
      if ('lost' in part) continue;
      const left = documents.slice(next);
      const {
        documents: end,
        counts,
        hashes,
      } = shingleSets(part.feed, kernel, params.shingle, {
        file: Uint32Array.from(left, ({ file }) => file),
        record: Float64Array.from(left, ({ record }) => record - (record < 0 ? 0 : part.first)),
      });
      const table = typedColumns(end(0), { file: 'u32', record: 'f64', contentKey: 'u32' });
      const all = hashes.slice();
      for (let i = 0, at = 0, from = 0; i < table.file.length; from += counts[i++]!, at++) {
        // A missing document has no rows, which a check of the statements reports.
        while (left[at]!.file !== table.file[i] || left[at]!.record - part.first !== table.record[i]) at++;
        const set = all.slice(2 * from, 2 * (from + counts[i]!));
        const size = kernel.sortUnique(set, set.length / 2);
        const shingles = new BigInt64Array(set.buffer, 0, size);
        const key = hexKey(table.contentKey, 4 * i);
        for (let first = 0, piece = 0; piece === 0 || first < size; first += PIECE, piece++)
          emit(batch!, left[at]!.row, key, size, piece, shingles.subarray(first, first + PIECE).join(','));
        next++;
      }
    }
  };
}
