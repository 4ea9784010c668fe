/**
 * The two documents that `compare` was asked for, read as a run would read them.
 *
 * Floor 5. Knows no measure.
 */
import { type ErrorCode, type Fault, MinHashError } from '../src/errors.js';
import { nearestName } from '../src/options/nearestName.js';
import { findDocuments } from '../src/storage/findDocuments.js';
import { binaryOf } from '../src/storage/ids.js';
import { listInputs } from '../src/storage/inputs.js';
import { unescapeId } from '../src/storage/results/escaping.js';
import type { CompareRequest } from './compareWish.js';
import { idText } from './terminal.js';

export interface ComparedDocument {
  /** Id, or the file as typed; a binary string. */
  readonly id: string;
  readonly text: Uint8Array;
}

/** Ids that are remembered for saying which one was meant. */
const MOST_IDS = 10_000;

/**
 * Reads both.
 *
 * @throws MinHashError with a fault for each that is not there or cannot be read
 */
export async function documentsToCompare(
  request: CompareRequest,
): Promise<[ComparedDocument, ComparedDocument]> {
  const found = request.places === null ? await readFiles(request) : await readByIds(request, request.places);
  const faults = found.filter((entry): entry is Fault => 'code' in entry);
  if (faults.length > 0) throw new MinHashError(faults);
  return found as [ComparedDocument, ComparedDocument];
}

type Found = ComparedDocument | Fault;

/** Each file by itself, as one text whatever its name. */
async function readFiles({ names, params }: CompareRequest): Promise<Found[]> {
  const found: Found[] = [];
  const asText = { ...params, input: 'text', textFieldGiven: false } as const;
  for (const name of names) {
    const { files, skipped } = listInputs({ paths: [name], outFolder: null, params: asText });
    let refused: ErrorCode | null = skipped[0]?.code ?? null;
    const met = (_id: string, code: ErrorCode | null): void => {
      refused = code;
    };
    const wanted = new Set(files.length === 0 ? [] : [files.id(0)]);
    const texts = await findDocuments({ files }, asText, wanted, { met });
    const [text] = texts.values();
    const id = binaryOf(name);
    found.push(text === undefined ? { code: refused ?? 'UNREADABLE', detail: idText(id) } : { id, text });
  }
  return found;
}

async function readByIds({ names, params }: CompareRequest, places: readonly string[]): Promise<Found[]> {
  const { files, skipped } = listInputs({ paths: places, outFolder: null, params });
  const ids = names.map((name) => unescapeId(name, 'tsv'));
  const known: string[] = [];
  const refused = new Map<string, ErrorCode>();
  for (const { place, code } of skipped) refused.set(place, code);
  for (let index = 0; index < Math.min(files.length, MOST_IDS); index++) known.push(idText(files.id(index)));
  const met = (id: string, code: ErrorCode | null): void => {
    if (code !== null && ids.includes(id)) refused.set(id, code);
    else if (known.length < MOST_IDS) known.push(idText(id));
  };
  const texts = await findDocuments({ files }, params, new Set(ids), { met });
  return ids.map((id): Found => {
    const text = texts.get(id);
    if (text !== undefined) return { id, text };
    const code = refused.get(id);
    if (code !== undefined) return { code, detail: idText(id) };
    const near = nearestName(idText(id), known);
    const place = `${idText(id)}: no such document in ${places.join(' ')}`;
    return { code: 'OPTION_INVALID', detail: near === null ? place : `${place}, did you mean ${near}?` };
  });
}
