/**
 * The visible text of an HTML page, as bytes: by the tokenizer of htmlparser2, whose events are positions in the source.
 *
 * The source is UTF-8 and is passed to the tokenizer one character per byte, because its syntax is ASCII. So no string is made of
 * a text, a name or an attribute.
 */

import { DecodingMode, EntityDecoder, htmlDecodeTree } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';
import { grown } from '../../arrays/growable.js';
import { writeCodePoint } from '../../text/unicode/utf8.js';

/** Not visible, with all of its content. */
const UNSEEN = 1;
/** Begins and ends a line. */
const BLOCK = 2;
/** Cells of a row are separated by a TAB. */
const CELL = 4;
/** Has no end tag. */
const VOID = 8;
/** Its white space is kept. */
const PRE = 16;
/** Its text has no entities. */
const RAW = 32;

const FACTS: readonly (readonly [facts: number, names: string])[] = [
  [
    UNSEEN,
    'script style template noscript title textarea select datalist iframe noembed noframes audio video canvas object ' +
      'rp desc metadata annotation annotation-xml',
  ],
  [
    BLOCK,
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
      'form frameset h1 h2 h3 h4 h5 h6 head header hgroup html legend li main menu nav ol optgroup option p search section ' +
      'summary table tbody tfoot thead tr ul',
  ],
  [BLOCK | PRE, 'pre listing'],
  [BLOCK | PRE | RAW, 'xmp plaintext'],
  [BLOCK | VOID, 'br hr'],
  [CELL, 'td th'],
  [VOID, 'area base basefont col command embed frame img input keygen link meta param source track wbr'],
  [0, 'svg math foreignobject a rt'],
];

/** Open elements that end when another one begins, if they are the innermost. */
const ENDED: readonly (readonly [begins: string, ends: string])[] = [
  ['tr', 'tr th td'],
  ['td th', 'td th'],
  ['thead tbody tfoot', 'thead tbody tfoot tr td th'],
  ['li', 'li p'],
  ['dd dt', 'dd dt p'],
  ['a', 'a'],
  ['rt rp', 'rt rp'],
  ['option', 'option'],
  ['optgroup', 'option optgroup'],
  ['body', 'head'],
  [
    'p h1 h2 h3 h4 h5 h6 address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer ' +
      'form header hgroup hr main menu nav ol pre listing search section table ul xmp',
    'p',
  ],
];

const NAMES = FACTS.flatMap(([facts, names]) => names.split(' ').map((name) => ({ name, facts })));
/** Unknown elements share these numbers by their hashes: they are only counted. */
const OTHER_NAMES = 1 << 12;
const FACTS_OF = Uint8Array.from({ length: NAMES.length + OTHER_NAMES }, (_, id) => NAMES[id]?.facts ?? 0);
const idOf = (name: string): number => NAMES.findIndex((row) => row.name === name);
const ENDS_OF = NAMES.map(({ name }) => {
  const ends = ENDED.filter(([begins]) => begins.split(' ').includes(name)).flatMap(([, found]) =>
    found.split(' '),
  );
  return ends.length === 0 ? null : Uint8Array.from(NAMES, (row) => (ends.includes(row.name) ? 1 : 0));
});
const SVG = idOf('svg');
const MATH = idOf('math');
const FOREIGN_OBJECT = idOf('foreignobject');
const DIALOG = idOf('dialog');

const SLOTS = 1 << 10;
/** By hash: a hash of a known name and its number, from 1. */
const SLOT_HASH = new Int32Array(SLOTS);
const SLOT_ID = new Uint8Array(SLOTS);

/** A hash of an ASCII name in any case. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (bytes[at]! | 0x20)) | 0;
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}

for (const [id, { name }] of NAMES.entries()) {
  const bytes = Buffer.from(name);
  const hash = hashOf(bytes, 0, bytes.length);
  let slot = hash & (SLOTS - 1);
  while (SLOT_ID[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  SLOT_HASH[slot] = hash;
  SLOT_ID[slot] = id + 1;
}

function elementOf(bytes: Uint8Array, from: number, to: number): number {
  const hash = hashOf(bytes, from, to);
  for (let slot = hash & (SLOTS - 1); SLOT_ID[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    if (SLOT_HASH[slot] === hash) return SLOT_ID[slot]! - 1;
  }
  return NAMES.length + ((hash >>> 12) & (OTHER_NAMES - 1));
}

/** Separators between two words: the largest wins. */
const BLANK = 1;
const TAB = 2;
const LINE = 3;
const SEPARATORS = Uint8Array.of(0, 0x20, 0x09, 0x0a);
const FEED = 0x0a;
const RETURN = 0x0d;
const AMPERSAND = 0x26;

/** Bytes of texts: 1 white space, 2 the beginning of an entity. */
const KIND = new Uint8Array(256);
for (const space of '\t\n\f\r ') KIND[space.charCodeAt(0)] = 1;
KIND[AMPERSAND] = 2;

/** The longest name of an entity has 33 characters. */
const MOST_ENTITY = 48;
const CHUNK = 128 << 10;
const OUT_BYTES = 64 << 10;
const HIDING =
  /(?:^|[;\s"'])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\s*(?:!\s*important\s*)?(?:$|[;"'])/i;
const LEAST_HIDING = 'display:none'.length;
/** The longest `style` that is searched. */
const MOST_STYLE = 4096;

/** Tracks open elements, and writes the visible text. */
class VisibleText {
  private bytes: Buffer = Buffer.alloc(0);
  private emit: (piece: Uint8Array) => void = () => {};
  private isXml = false;
  private readonly out = new Uint8Array(OUT_BYTES);
  private size = 0;
  private isFirst = true;
  private lastByte = 0;
  private pending = 0;
  /** Text that is not written yet: the tokenizer may report it in pieces. */
  private from = 0;
  private to = 0;
  private open = new Uint16Array(256);
  private depth = 0;
  private readonly counts = new Uint32Array(FACTS_OF.length);
  /** The index in `open` of the outermost invisible element; -1: all are visible. */
  private unseenAt = -1;
  private pres = 0;
  private raws = 0;
  /** A line feed that follows `<pre>` is dropped. */
  private dropsFeed = false;
  private element = 0;
  private isHidden = false;
  private isOpened = false;
  private isStyle = false;
  private styleFrom = 0;
  private styleTo = 0;
  private readonly points: number[] = [];
  private readonly entities = new EntityDecoder(htmlDecodeTree, (point) => this.points.push(point));

  read(bytes: Uint8Array, isXml: boolean, emit: (piece: Uint8Array) => void): void {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.emit = emit;
    this.isXml = isXml;
    this.isFirst = true;
    this.dropsFeed = false;
    this.size = this.lastByte = this.pending = this.from = this.to = 0;
    this.popTo(0);
    const tokenizer = new Tokenizer({ decodeEntities: false, recognizeSelfClosing: isXml }, this);
    for (let at = 0; at < bytes.length; at += CHUNK)
      tokenizer.write(this.bytes.toString('latin1', at, at + CHUNK));
    tokenizer.end();
    this.flush();
    this.give();
    this.bytes = Buffer.alloc(0);
    this.emit = () => {};
  }

  isInForeignContext(): boolean {
    const { counts } = this;
    return counts[SVG]! + counts[MATH]! > 0 && counts[FOREIGN_OBJECT] === 0;
  }

  ontext(from: number, to: number): void {
    if (this.unseenAt >= 0) return;
    if (from !== this.to) {
      this.flush();
      this.from = from;
    }
    this.to = to;
  }

  oncdata(from: number, to: number, offset: number): void {
    if (this.isXml || this.isInForeignContext()) this.ontext(from, to - offset);
  }

  onopentagname(from: number, to: number): void {
    this.flush();
    this.dropsFeed = false;
    this.element = elementOf(this.bytes, from, to);
    this.isHidden = false;
    this.isOpened = false;
    this.isStyle = false;
  }

  onattribname(from: number, to: number): void {
    const length = to - from;
    this.isStyle = false;
    if (length > 6 || length < 4) return;
    if (length === 6) this.isHidden ||= this.isName(from, 'hidden');
    else if (length === 4) this.isOpened ||= this.isName(from, 'open');
    else if (this.isName(from, 'style')) {
      this.isStyle = true;
      this.styleFrom = this.styleTo = -1;
    }
  }

  onattribdata(from: number, to: number): void {
    if (!this.isStyle) return;
    if (this.styleFrom < 0) this.styleFrom = from;
    this.styleTo = to;
  }

  onattribend(): void {
    if (!this.isStyle) return;
    this.isStyle = false;
    const { styleFrom, styleTo } = this;
    if (styleTo - styleFrom < LEAST_HIDING) return;
    const style = this.bytes.toString('latin1', styleFrom, Math.min(styleTo, styleFrom + MOST_STYLE));
    if (HIDING.test(style)) this.isHidden = true;
  }

  onopentagend(): void {
    this.begin(false);
  }

  onselfclosingtag(): void {
    this.begin(this.isXml || this.isInForeignContext());
  }

  onclosetag(from: number, to: number): void {
    this.flush();
    this.dropsFeed = false;
    const { counts, open } = this;
    const element = elementOf(this.bytes, from, to);
    if (counts[element]! > 0) {
      let depth = this.depth - 1;
      while (open[depth] !== element) depth--;
      const isUnseen = this.unseenAt === depth;
      this.popTo(depth);
      // Invisible content does not separate words.
      if (isUnseen) return;
    }
    this.separate(FACTS_OF[element]!);
  }

  onattribentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontextentity(): void {}

  /** Whether an attribute has this name, in any case. */
  private isName(from: number, name: string): boolean {
    for (let i = 0; i < name.length; i++) {
      if ((this.bytes[from + i]! | 0x20) !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  private begin(isEmpty: boolean): void {
    const { element } = this;
    const facts = FACTS_OF[element]!;
    const ends = ENDS_OF[element];
    if (ends) while (this.depth > 0 && ends[this.open[this.depth - 1]!] === 1) this.popTo(this.depth - 1);
    const isUnseen = (facts & UNSEEN) !== 0 || this.isHidden || (element === DIALOG && !this.isOpened);
    if (!isUnseen) this.separate(facts);
    if (isEmpty || (facts & VOID) !== 0) return;
    if (isUnseen && this.unseenAt < 0) this.unseenAt = this.depth;
    this.open = grown(this.open, this.depth + 1);
    this.open[this.depth++] = element;
    this.counts[element]!++;
    if ((facts & PRE) !== 0) {
      this.pres++;
      this.dropsFeed = true;
      if ((facts & RAW) !== 0) this.raws++;
    }
  }

  /** Ends all elements but the outer `depth`. */
  private popTo(depth: number): void {
    while (this.depth > depth) {
      const element = this.open[--this.depth]!;
      this.counts[element]!--;
      const facts = FACTS_OF[element]!;
      if ((facts & PRE) !== 0) this.pres--;
      if ((facts & RAW) !== 0) this.raws--;
    }
    if (this.unseenAt >= depth) this.unseenAt = -1;
  }

  private separate(facts: number): void {
    if (this.unseenAt >= 0) return;
    if ((facts & BLOCK) !== 0) this.pending = LINE;
    else if ((facts & CELL) !== 0 && this.pending < TAB) this.pending = TAB;
  }

  /** Writes the pending text. */
  private flush(): void {
    const { to, bytes } = this;
    let at = this.from;
    this.from = to;
    if (at === to) return;
    if (this.dropsFeed) {
      this.dropsFeed = false;
      if (bytes[at] === RETURN && at + 1 < to && bytes[at + 1] === FEED) at++;
      if (bytes[at] === FEED) at++;
    }
    while (at < to) {
      const kind = KIND[bytes[at]!]!;
      if (kind === 0) at = this.words(at, to);
      else if (kind === 1) at = this.space(at, to);
      else at = this.entity(at, to);
    }
  }

  /** Copies bytes up to the next white space or entity; returns its position. */
  private words(from: number, to: number): number {
    if (this.pending !== 0) this.begins();
    const { bytes, out } = this;
    let { size } = this;
    let at = from;
    const end = Math.min(to, from + out.length - size);
    while (at < end) {
      const byte = bytes[at]!;
      if (KIND[byte] !== 0) break;
      out[size++] = byte;
      at++;
    }
    this.isFirst = false;
    this.lastByte = 0;
    this.size = size;
    if (size === out.length) this.give();
    return at;
  }

  private space(from: number, to: number): number {
    const { bytes } = this;
    let at = from;
    if (this.pres === 0) {
      while (at < to && KIND[bytes[at]!] === 1) at++;
      if (this.pending === 0) this.pending = BLANK;
      return at;
    }
    const byte = bytes[at]!;
    // CR LF and CR in a source are line feeds on a page.
    if (byte === RETURN && at + 1 < to && bytes[at + 1] === FEED) return at + 1;
    this.write(byte === RETURN ? FEED : byte);
    return at + 1;
  }

  private entity(from: number, to: number): number {
    const { points, entities, bytes } = this;
    points.length = 0;
    let used = 0;
    if (this.raws === 0) {
      const source = bytes.toString('latin1', from, Math.min(to, from + MOST_ENTITY));
      entities.startEntity(DecodingMode.Legacy);
      used = entities.write(source, 1);
      if (used < 0) used = entities.end();
    }
    if (used <= 0) {
      this.write(AMPERSAND);
      return from + 1;
    }
    for (const point of points) {
      if (point > 0x20 || KIND[point] !== 1) this.writePoint(point);
      else if (this.pres > 0) this.write(point);
      else if (this.pending === 0) this.pending = BLANK;
    }
    return from + used;
  }

  private writePoint(point: number): void {
    if (point < 0x80) {
      this.write(point);
      return;
    }
    if (this.pending !== 0) this.begins();
    if (this.size + 4 > this.out.length) this.give();
    this.size = writeCodePoint(this.out, this.size, point);
    this.isFirst = false;
    this.lastByte = 0;
    if (this.size === this.out.length) this.give();
  }

  private write(byte: number): void {
    if (this.pending !== 0) this.begins();
    this.out[this.size++] = byte;
    this.isFirst = false;
    this.lastByte = byte;
    if (this.size === this.out.length) this.give();
  }

  /** Writes the separator before a word: none before the first, and no line feed after that of a `<pre>`. */
  private begins(): void {
    const { pending, lastByte } = this;
    this.pending = 0;
    if (this.isFirst || (pending === LINE && lastByte === FEED)) return;
    this.write(SEPARATORS[pending]!);
  }

  private give(): void {
    if (this.size > 0) this.emit(this.out.subarray(0, this.size));
    this.size = 0;
  }
}

let reader: VisibleText | null = null;

/**
 * Emits the visible text of a page, in pieces of at most 64 KB that may be cut anywhere; each is scratch memory. No piece is empty; a
 * page without text has none. Broken markup never fails.
 *
 * @param bytes the source in UTF-8, without a byte order mark
 * @param isXml `<a/>` is an element without content, as in XHTML
 */
export function htmlText(bytes: Uint8Array, isXml: boolean, emit: (piece: Uint8Array) => void): void {
  reader ??= new VisibleText();
  reader.read(bytes, isXml, emit);
}
