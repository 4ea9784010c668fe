/**
 * The visible text of an HTML page, by the tokenizer of htmlparser2, whose events are positions in the source. Its parser takes quadratic time
 * for pages that open or close many elements, so the open elements are tracked here.
 *
 * Source and text are strings with one character per byte of UTF-8, because the syntax of HTML is ASCII.
 */

import { Tokenizer } from 'htmlparser2';

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
/** Its content is not HTML; inside of HTML it is again. */
const FOREIGN = 32;
const HTML_AGAIN = 64;

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
  [BLOCK | PRE, 'pre listing xmp plaintext'],
  [BLOCK | VOID, 'br hr'],
  [CELL, 'td th'],
  [FOREIGN, 'svg math'],
  [HTML_AGAIN, 'foreignobject'],
  [VOID, 'area base basefont col command embed frame img input keygen link meta param source track wbr'],
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

const FACTS_OF = new Map(
  FACTS.flatMap(([facts, names]) => names.split(' ').map((name) => [name, facts] as const)),
);
const ENDED_BY = new Map<string, readonly string[]>();
for (const [begins, ends] of ENDED)
  for (const name of begins.split(' '))
    ENDED_BY.set(name, [...(ENDED_BY.get(name) ?? []), ...ends.split(' ')]);

/** Separators between two words: the largest wins. */
const BLANK = 1;
const TAB = 2;
const LINE = 3;
const SEPARATORS = ['', ' ', '\t', '\n'];

/** White space that is not one blank already. */
const SPACES = /[\t\n\f\r][\t\n\f\r ]*| [\t\n\f\r ]+/g;
const HIDING =
  /(?:^|[;\s"'])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\s*(?:!\s*important\s*)?(?:$|[;"'])/i;
/** The longest `style` that is searched. */
const MOST_STYLE = 4096;

/** Tracks open elements, and collects the visible text. */
class VisibleText {
  private readonly source: string;
  private readonly isXml: boolean;
  private out = '';
  private isFirst = true;
  private isBehindFeed = false;
  private pending = 0;
  private readonly open: string[] = [];
  /** Open elements by name. */
  private readonly counts = new Map<string, number>();
  /** The index in `open` of the outermost invisible element; -1: all are visible. */
  private unseenAt = -1;
  /** Open elements of these kinds. */
  private pres = 0;
  private foreign = 0;
  private htmlAgain = 0;
  /** A line feed that follows `<pre>` is dropped. */
  private dropsFeed = false;
  private element = '';
  private isHidden = false;
  private isOpened = false;
  private isStyle = false;
  private style = '';

  constructor(source: string, isXml: boolean) {
    this.source = source;
    this.isXml = isXml;
  }

  read(): string {
    const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: this.isXml }, this);
    tokenizer.write(this.source);
    tokenizer.end();
    return this.out;
  }

  isInForeignContext(): boolean {
    return this.foreign > 0 && this.htmlAgain === 0;
  }

  ontext(from: number, to: number): void {
    if (this.unseenAt < 0) this.write(this.source.slice(from, to));
  }

  ontextentity(point: number): void {
    if (this.unseenAt >= 0) return;
    const letter = String.fromCodePoint(point);
    this.dropsFeed = false;
    this.write(point < 0x80 ? letter : Buffer.from(letter).toString('latin1'));
  }

  oncdata(from: number, to: number, offset: number): void {
    if (this.isXml || this.isInForeignContext()) this.ontext(from, to - offset);
  }

  onopentagname(from: number, to: number): void {
    this.dropsFeed = false;
    this.element = this.source.slice(from, to).toLowerCase();
    this.isHidden = this.isOpened = this.isStyle = false;
  }

  onattribname(from: number, to: number): void {
    const name = to - from <= 6 ? this.source.slice(from, to).toLowerCase() : '';
    this.isHidden ||= name === 'hidden';
    this.isOpened ||= name === 'open';
    this.isStyle = name === 'style';
    this.style = '';
  }

  onattribdata(from: number, to: number): void {
    if (this.isStyle && this.style.length < MOST_STYLE) this.style += this.source.slice(from, to);
  }

  onattribend(): void {
    if (this.isStyle && HIDING.test(this.style)) this.isHidden = true;
  }

  onopentagend(): void {
    this.begin(false);
  }

  onselfclosingtag(): void {
    this.begin(this.isXml || this.isInForeignContext());
  }

  onclosetag(from: number, to: number): void {
    this.dropsFeed = false;
    const name = this.source.slice(from, to).toLowerCase();
    const { open } = this;
    if ((this.counts.get(name) ?? 0) > 0) {
      const depth = open.lastIndexOf(name);
      const isUnseen = this.unseenAt === depth;
      while (open.length > depth) this.pop();
      // Invisible content does not separate words.
      if (isUnseen) return;
    }
    this.separate(FACTS_OF.get(name) ?? 0);
  }

  onattribentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}

  private begin(isEmpty: boolean): void {
    const { element, open } = this;
    const facts = FACTS_OF.get(element) ?? 0;
    const ended = ENDED_BY.get(element);
    while (ended !== undefined && open.length > 0 && ended.includes(open.at(-1)!)) this.pop();
    const isUnseen = (facts & UNSEEN) !== 0 || this.isHidden || (element === 'dialog' && !this.isOpened);
    if (!isUnseen) this.separate(facts);
    if (isEmpty || (facts & VOID) !== 0) return;
    if (isUnseen && this.unseenAt < 0) this.unseenAt = open.length;
    open.push(element);
    this.count(element, facts, 1);
    this.dropsFeed = (facts & PRE) !== 0;
  }

  /** Ends the innermost element. */
  private pop(): void {
    const name = this.open.pop()!;
    this.count(name, FACTS_OF.get(name) ?? 0, -1);
    if (this.unseenAt >= this.open.length) this.unseenAt = -1;
  }

  private count(name: string, facts: number, by: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by);
    if ((facts & PRE) !== 0) this.pres += by;
    if ((facts & FOREIGN) !== 0) this.foreign += by;
    if ((facts & HTML_AGAIN) !== 0) this.htmlAgain += by;
  }

  private separate(facts: number): void {
    if (this.unseenAt >= 0) return;
    if ((facts & BLOCK) !== 0) this.pending = LINE;
    else if ((facts & CELL) !== 0 && this.pending < TAB) this.pending = TAB;
  }

  private write(text: string): void {
    if (this.pres > 0) {
      // CR LF and CR in a source are line feeds on a page.
      const lines = text.replace(/\r\n?/g, '\n');
      this.append(this.dropsFeed && lines.startsWith('\n') ? lines.slice(1) : lines);
      this.dropsFeed = false;
      return;
    }
    const words = text.replace(SPACES, ' ');
    const begins = words.startsWith(' ');
    const ends = words.length > 1 && words.endsWith(' ');
    if (begins) this.pending ||= BLANK;
    this.append(begins || ends ? words.slice(begins ? 1 : 0, ends ? -1 : undefined) : words);
    if (ends) this.pending ||= BLANK;
  }

  /** Appends the separator and words: none before the first, and no line feed after that of a `<pre>`. */
  private append(words: string): void {
    if (words === '') return;
    if (!this.isFirst && !(this.pending === LINE && this.isBehindFeed)) this.out += SEPARATORS[this.pending]!;
    this.pending = 0;
    this.isFirst = false;
    this.out += words;
    this.isBehindFeed = words.endsWith('\n');
  }
}

/**
 * The visible text of a page. Broken markup never fails.
 *
 * @param bytes the source in UTF-8, without a byte order mark; at most MOST_PAGE bytes
 * @param isXml `<a/>` is an element without content, as in XHTML
 */
export function htmlText(bytes: Uint8Array, isXml: boolean): Uint8Array {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return Buffer.from(new VisibleText(source, isXml).read(), 'latin1');
}
