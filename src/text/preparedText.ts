/**
 * The steps of `--normalize`, which change a text before it becomes canonical text. There are none by default.
 *
 *      bytes --compatibility--> --canonical decomposition--> --case folding--> --marks--> --numbers--> NFC as UTF-8
 *            nfkc               always                       casefold          no-marks   no-digits
 *
 * Preparation runs before all other stages, so tokens, kernels and hashes do not depend on it: its output is converted to NFC and
 * lower case like any other text (canonicalText.ts). Each step is a function of code points or of NFC segments, so the result does
 * not depend on where the bytes were cut.
 *
 * Sources: UAX 15 (normalization forms); Unicode 15.0, section 3.13, D145 (canonical caseless matching: the text is decomposed
 * before it is folded), and CaseFolding.txt, C and F.
 */
import { concatenated } from '../arrays/growable.js';
import { CanonicalText, type CanonicalTextSink } from './canonicalText.js';
import { CLASS, codePointTable, foldingTable, lowerCaseOf, MARK, UNASSIGNED } from './unicode/codePoints.js';
import { codePointAt, sequenceLength, writeCodePoint } from './unicode/utf8.js';

/** The words of --normalize, in the order of their steps. */
export const NORMALIZE_WORDS = ['nfc', 'nfkc', 'casefold', 'no-marks', 'no-digits'] as const;
/** A word of --normalize. */
export type NormalizeWord = (typeof NORMALIZE_WORDS)[number];
/** The words of a run, in the order of NORMALIZE_WORDS, the first `nfc` or `nfkc`. */
export type Normalization = readonly NormalizeWord[];

/** The parameter of shingles for these words; the key is absent if they are the default. */
export function normalizing(words: Normalization): { readonly normalize?: Normalization } {
  return words.length === 1 && words[0] === 'nfc' ? {} : { normalize: words };
}

/** The token that replaces a run of numbers. */
export const NUMBER = 0x30;

const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

/** Computes the replacements of code points and segments. */
export class Preparation {
  readonly hasNumbers: boolean;
  private readonly isCompatible: boolean;
  private readonly foldsCase: boolean;
  private readonly dropsMarks: boolean;
  private readonly table = codePointTable();
  private readonly folding = foldingTable();
  /** Caches of replacements, because most code points occur again. */
  private readonly decompositions = new Map<number, readonly number[] | null>();
  private readonly segments = new Map<number, readonly number[]>();

  constructor(words: Normalization) {
    this.isCompatible = words.includes('nfkc');
    this.foldsCase = words.includes('casefold');
    this.dropsMarks = words.includes('no-marks');
    this.hasNumbers = !words.includes('no-digits');
  }

  isNumber(codePoint: number): boolean {
    return this.folding.numbers[codePoint] === 1;
  }

  /** The replacement of a code point before segments are built; null: the code point does not change. */
  decomposed(codePoint: number): readonly number[] | null {
    if (!this.isCompatible || codePoint < 0x80) return null;
    let found = this.decompositions.get(codePoint);
    if (found === undefined) {
      found = this.compatibly(codePoint);
      this.decompositions.set(codePoint, found);
    }
    return found;
  }

  /**
   * The compatibility decomposition of a code point; null: it equals the canonical one, so NFC is enough, or the code
   * point is unassigned.
   */
  private compatibly(codePoint: number): readonly number[] | null {
    if ((this.table.flags[codePoint]! & UNASSIGNED) !== 0) return null;
    const text = String.fromCodePoint(codePoint);
    const compatible = text.normalize('NFKD');
    return compatible === text.normalize('NFD') ? null : codePointsOf(compatible);
  }

  /** The replacement of a segment, perhaps empty; runs of numbers are not yet replaced in it. */
  ofSegment(segment: ArrayLike<number>): readonly number[] {
    if (segment.length > 1) return this.made(segment);
    const codePoint = segment[0]!;
    let found = this.segments.get(codePoint);
    if (found === undefined) {
      found = this.made(segment);
      this.segments.set(codePoint, found);
    }
    return found;
  }

  private made(segment: ArrayLike<number>): readonly number[] {
    const { table } = this;
    const given = Array.from(segment);
    // An unassigned code point, which nothing joins, is not replaced, because that would depend on the version of Unicode.
    if ((table.flags[given[0]!]! & UNASSIGNED) !== 0) return given;
    let codePoints = codePointsOf(String.fromCodePoint(...given).normalize('NFD'));
    if (this.foldsCase) {
      codePoints = codePoints.flatMap((one) => this.folding.folds.get(one) ?? [lowerCaseOf(table, one)]);
    }
    if (this.dropsMarks) codePoints = codePoints.filter((one) => (table.flags[one]! & CLASS) !== MARK);
    return codePointsOf(String.fromCodePoint(...codePoints).normalize('NFC'));
  }
}

/** Replaces every run of numbers by one NUMBER. Takes valid UTF-8 in whole code points. */
class NumberRuns {
  private readonly preparation: Preparation;
  private readonly sink: CanonicalTextSink;
  private isInRun = false;

  constructor(preparation: Preparation, sink: CanonicalTextSink) {
    this.preparation = preparation;
    this.sink = sink;
  }

  begin(): void {
    this.isInRun = false;
  }

  /** Writes the output over `bytes`; it is never longer. */
  push(bytes: Uint8Array, count: number): void {
    let to = 0;
    for (let at = 0; at < count; ) {
      const codePoint = codePointAt(bytes, at);
      const isNumber = this.preparation.isNumber(codePoint);
      at += sequenceLength(bytes[at]!);
      if (!isNumber || !this.isInRun) to = writeCodePoint(bytes, to, isNumber ? NUMBER : codePoint);
      this.isInRun = isNumber;
    }
    if (to > 0) this.sink(bytes, to);
  }
}

/** Turns the bytes of a document into the prepared text, as UTF-8, that becomes canonical text. */
class PreparedText extends CanonicalText {
  private readonly preparation: Preparation;
  private readonly numbers: NumberRuns;

  constructor(words: Normalization, sink: CanonicalTextSink) {
    const preparation = new Preparation(words);
    const numbers = new NumberRuns(preparation, sink);
    super(preparation.hasNumbers ? sink : (bytes, count) => numbers.push(bytes, count));
    this.preparation = preparation;
    this.numbers = numbers;
  }

  override begin(): void {
    super.begin();
    this.numbers.begin();
  }

  protected override take(codePoint: number): void {
    const decomposed = this.preparation.decomposed(codePoint);
    if (decomposed === null) super.take(codePoint);
    else for (const one of decomposed) super.take(one);
  }

  protected override closeSegment(): void {
    const { segment } = this;
    const given = segment.given();
    if (given.length > 0) for (const codePoint of this.preparation.ofSegment(given)) this.write(codePoint);
    segment.clear();
  }
}

/** The prepared text of a whole document. */
export function preparedBytes(bytes: Uint8Array, words: Normalization): Uint8Array {
  const parts: Uint8Array[] = [];
  const text = new PreparedText(words, (part, count) => parts.push(part.slice(0, count)));
  text.push(bytes);
  text.end();
  return concatenated(parts, Uint8Array);
}

/** Receives texts, one after the other: begin, push any number of times, end. */
export abstract class TextStream {
  /** After the end: whether an invalid byte sequence was replaced, or a run of combining marks was cut. */
  abstract readonly repaired: boolean;

  abstract begin(): void;
  /** Bytes of the text, in order, cut anywhere. */
  abstract push(bytes: Uint8Array): void;
  abstract end(): void;

  /** Takes a complete text. */
  whole(text: Uint8Array): void {
    this.begin();
    if (text.length > 0) this.push(text);
    this.end();
  }
}

interface Stage {
  begin(): void;
  end(): void;
}

/** A chain of stages, fed by the first stage. */
export class StagedStream extends TextStream {
  private readonly text: Pick<TextStream, 'push' | 'repaired'>;
  private readonly stages: readonly Stage[];

  /** @param stages in the order of the text */
  constructor(text: Pick<TextStream, 'push' | 'repaired'>, stages: readonly Stage[]) {
    super();
    this.text = text;
    this.stages = stages;
    this.begin();
  }

  get repaired(): boolean {
    return this.text.repaired;
  }

  begin(): void {
    for (const stage of this.stages) stage.begin();
  }

  push(bytes: Uint8Array): void {
    this.text.push(bytes);
  }

  end(): void {
    for (const stage of this.stages) stage.end();
  }
}

/** A stream of canonical text into tokens and their consumer. */
export function canonicalStream(
  tokens: Stage & { push(bytes: Uint8Array, count: number): void },
  later: readonly Stage[],
): TextStream {
  const text = new CanonicalText((bytes, count) => tokens.push(bytes, count));
  return new StagedStream(text, [text, tokens, ...later]);
}

/** The stream, fed with prepared text; without `words` the stream itself. */
export function prepared(words: Normalization | undefined, stream: TextStream): TextStream {
  if (words === undefined) return stream;
  const text = new PreparedText(words, (bytes, count) => stream.push(bytes.subarray(0, count)));
  const both = {
    push: (bytes: Uint8Array): void => text.push(bytes),
    get repaired(): boolean {
      return text.repaired || stream.repaired;
    },
  };
  return new StagedStream(both, [text, stream]);
}
