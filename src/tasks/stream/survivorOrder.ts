/**
 * The order of survivors (which document of a cluster stays) as a key of each document: bytes that sort in that order, none of
 * which is the beginning of another. Where documents survive in the order of places, ranks are the keys.
 *
 *      isOpen u8 (0: protected), with decisions what they say u8 (TIERS), tier u32, rules of --keep, rank u64
 */
import {
  type FieldValue,
  PLACES_OF_KINDS,
  placesInList,
  timeValue,
  writeNumberKey,
} from '../../../reducers/survivorKeys.js';
import { type FieldColumns, MISSING, NUMBER, TEXT } from '../../blocks/fieldValues.js';
import { DecidedIds, TIERS } from '../../output/decidedIds.js';
import { fieldsRead, type KeepRule } from '../../sketch/params.js';
import type { FileOrder } from './fileColumns.js';
import { OF_RANKED, RANK } from './kinds.js';
import { FieldWriter, f64At, u32At } from './records.js';
import type { TaskManifest } from './taskManifest.js';

const TEXT_BYTES = OF_RANKED.facts + 25;
const NO_TEXT = new Uint8Array(0);
const MISSED: FieldValue = [MISSING, 0, () => NO_TEXT];

/** Appends a document's value in one field: its kind u8; then of a NUMBER f64, of a TEXT its length u32 and its bytes. */
export function appendValue(out: FieldWriter, field: FieldColumns | null, row: number): void {
  const kind = field === null ? MISSING : field.kinds[row]!;
  out.u8(kind);
  if (kind === NUMBER) out.f64(field!.numbers[row]!);
  if (kind !== TEXT) return;
  const { offsets, bytes } = field!.texts;
  const [from, to] = [offsets[row]!, offsets[row + 1]!];
  out.u32(to - from).raw(bytes, from, to);
}

/** The values of a document in so many fields, as `appendValue` wrote them from `at` on. */
export function valuesAt(bytes: Uint8Array, at: number, fields: number): FieldValue[] {
  const values: FieldValue[] = [];
  for (; values.length < fields; ) {
    const kind = bytes[at++]!;
    if (kind === NUMBER) {
      values.push([kind, f64At(bytes, at), () => NO_TEXT]);
      at += 8;
    } else if (kind === TEXT) {
      const from = at + 4;
      at = from + u32At(bytes, at);
      const text = bytes.subarray(from, at);
      values.push([kind, 0, () => text]);
    } else values.push(MISSED);
  }
  return values;
}

/** Appends what a rule of --keep compares. */
type RuleWriter = (document: {
  /** The number of its file. */
  readonly file: number;
  /** The value of the document's `ranked` record. */
  readonly ranked: Uint8Array;
  readonly values: readonly FieldValue[];
}) => void;

export class SurvivorOrder {
  private readonly key = new FieldWriter();
  private readonly words = new Uint32Array(2);
  private readonly files: FileOrder;
  private readonly fields: readonly string[];
  private readonly rules: readonly RuleWriter[];
  private readonly isLastFirst: boolean;
  private readonly decided: DecidedIds | null;

  constructor({ params, files }: Pick<TaskManifest, 'params' | 'files'>) {
    this.files = files.order;
    this.fields = fieldsRead(params);
    const { keep, decisions } = params;
    this.decided = decisions === undefined ? null : new DecidedIds(decisions);
    // The first rule that orders any two documents makes the rules after it void.
    const end = keep.findIndex(({ by }) => by === 'first' || by === 'last' || by === 'id');
    const deciding = end < 0 ? keep : keep.slice(0, end + 1);
    this.isLastFirst = deciding.at(-1)?.by === 'last';
    this.rules = deciding.map((rule) => this.writerOf(rule)).filter((writer) => writer !== null);
  }

  /**
   * The key of a document; valid until the next call.
   *
   * @param rank eight bytes
   * @param values the document's values in fieldsRead
   */
  of(rank: Uint8Array, ranked: Uint8Array, values: readonly FieldValue[]): Uint8Array {
    const { key, rules, files, decided } = this;
    const file = u32At(ranked, OF_RANKED.place);
    const isProtected = files.isProtected?.[file] === 1;
    const tier = decided?.tierOf(decided.find(ranked, OF_RANKED.id), isProtected) ?? TIERS.between;
    key.reset().u8(isProtected || tier === TIERS.first ? 0 : 1);
    if (decided !== null) key.u8(tier);
    key.u32(files.tiers?.[file] ?? 0);
    for (const write of rules) write({ file, ranked, values });
    if (this.isLastFirst) for (let i = 0; i < RANK; i++) key.u8(0xff - rank[i]!);
    return key.raw(rank).view;
  }

  private writerOf(rule: KeepRule): RuleWriter | null {
    const { by } = rule;
    const { key } = this;
    if (by === 'id') return ({ ranked }) => void key.ended(ranked.subarray(OF_RANKED.id));
    if (by === 'newest' || by === 'oldest')
      return ({ file }) => this.number(timeValue(by, this.files.times?.[file] ?? 0));
    if (by === 'longest' || by === 'shortest') {
      const sign = by === 'longest' ? -1 : 1;
      return ({ ranked }) => this.number(sign * f64At(ranked, TEXT_BYTES));
    }
    return by === 'field' ? this.fieldWriter(rule) : null;
  }

  private fieldWriter({ field, best }: KeepRule): RuleWriter {
    const { key } = this;
    const at = this.fields.indexOf(field!);
    if (best !== 'max' && best !== 'min') {
      const placeOf = placesInList(best!);
      return ({ values }) => void key.u32(placeOf(values[at]!));
    }
    const isMost = best === 'max';
    return ({ values }) => {
      const [kind, number, text] = values[at]!;
      key.u8(PLACES_OF_KINDS[kind]!);
      if (kind === NUMBER) this.number(isMost ? -number : number);
      if (kind !== TEXT) return;
      const from = key.view.length;
      key.ended(text());
      if (isMost) turn(key.view, from);
    };
  }

  private number(value: number): void {
    writeNumberKey(this.words, 0, value);
    this.key.u32(this.words[1]!).u32(this.words[0]!);
  }
}

/** Inverts the bytes from `from` on, so that keys sort in reverse. */
function turn(bytes: Uint8Array, from: number): void {
  for (let i = from; i < bytes.length; i++) bytes[i] = 0xff - bytes[i]!;
}
