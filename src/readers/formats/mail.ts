/**
 * Mail as documents (RFC 5322, RFC 2045 to 2047): the texts of a message, plain forms before HTML, decoded. The id is the
 * Message-ID without its angle brackets.
 *
 *      From ada@example.org Mon Jan  1 00:00:00 2024       mbox: such a line begins a message (BEGINS_MESSAGE)
 *      Message-ID: <1@example.org>
 *      Content-Type: text/plain; charset=utf-8             fields, a blank line, the body
 *
 *      >From here on                                       a line of the body that would begin a message has a `>` more
 */

import { decoded } from '../bytes/encodings.js';
import {
  type ChunkDocuments,
  type ChunkRecords,
  LINE_FEED,
  RETURN,
  type RecordChunk,
  type RecordRule,
} from '../bytes/records.js';
import { MOST_ID_BYTES } from '../documentSink.js';
import { type HeldText, heldText } from './heldText.js';
import type { FormatReading } from './reading.js';
import { charsetIn, encodingOfText, endPage, isPageOfRecord, pageText, readsPages } from './web/pages.js';
import { headerFields } from './web/warcRecords.js';

const BEGIN = Buffer.from('From ');
const NEXT = Buffer.from('\nFrom ');

/**
 * A line that begins a message has a time, or a field of the header follows it: otherwise it is a line of the body. It needs both without
 * a blank line before it, which some programs omit.
 */
const BEGINS_MESSAGE = /^From (?:[^\n]*\d:\d\d[^\n]*\n|[^\n]*\n[!-9;-~]+[ \t]*:)/;
const BEGINS_AT_ONCE = /^From [^\n<]*\d:\d\d[^\n<]*\n[!-9;-~]+[ \t]*:/;
/** Bytes of that line and the next one that are looked at. */
const MOST_BEGINNING = 1024;

/** Whether bytes begin as mbox does. */
export function beginsMbox(head: Uint8Array): boolean {
  return BEGINS_MESSAGE.test(Buffer.from(head.subarray(0, MOST_BEGINNING)).toString('latin1'));
}

/**
 * The next line from `at` on that begins a message; -1: there is none. In open bytes all that is looked at must be
 * there.
 */
function nextMessage(bytes: Buffer, at: number, isOpen: boolean): number {
  for (let feed = bytes.indexOf(NEXT, at); feed >= 0; feed = bytes.indexOf(NEXT, feed + 1)) {
    const before = bytes[feed - 1] === RETURN ? feed - 2 : feed - 1;
    const isBehindBlank = before < 0 || bytes[before] === LINE_FEED;
    if (isOpen && feed + 1 + MOST_BEGINNING > bytes.length) return -1;
    const beginning = bytes.toString('latin1', feed + 1, feed + 1 + MOST_BEGINNING);
    if ((isBehindBlank ? BEGINS_MESSAGE : BEGINS_AT_ONCE).test(beginning)) return feed + 1;
  }
  return -1;
}

/** The messages of a chunk, each with the line that begins it and the blank ones behind it. */
class MboxRecords implements ChunkRecords {
  part: 'blank' | 'record' = 'record';
  protected readonly bytes: Buffer;
  readonly #isOpen: boolean;

  constructor({ bytes, isOpen = false }: RecordChunk) {
    this.bytes = bytes;
    this.#isOpen = isOpen;
  }

  next(from: number): number {
    const { bytes } = this;
    const found = nextMessage(bytes, from, this.#isOpen);
    if (found < 0 && this.#isOpen) return -1;
    const end = found < 0 ? bytes.length : found;
    let at = from;
    while (at < end && (bytes[at] === LINE_FEED || bytes[at] === RETURN)) at++;
    this.part = at === end ? 'blank' : 'record';
    return end;
  }
}

export const MBOX: RecordRule = {
  records: (chunk) => new MboxRecords(chunk),
  // Behind two line ends.
  resume: (bytes, isOpen) => nextMessage(bytes, 2, isOpen),
};

/** The same as documents. */
export class MboxDocuments extends MboxRecords implements ChunkDocuments {
  readonly #file: number;
  readonly #reading: FormatReading;

  constructor(chunk: RecordChunk, file: number, reading: FormatReading) {
    super(chunk);
    this.#file = file;
    this.#reading = reading;
  }

  give(number: number, from: number, to: number): void {
    const mail = this.bytes.subarray(from, to);
    const isBegun = mail.subarray(0, BEGIN.length).equals(BEGIN);
    const bytes = isBegun ? mail.subarray(mail.indexOf(LINE_FEED) + 1 || mail.length) : mail;
    giveMail({ file: this.#file, record: number, bytes, isOfMbox: true }, this.#reading);
  }
}

/** A message. */
type Mail = Pick<HeldText, 'file' | 'record' | 'bytes'> & {
  /** Lines of the body that begin with `From ` have a `>` more. */
  readonly isOfMbox: boolean;
};

/** What may come before the header in a file: a byte order mark, the number of bytes (Apple Mail), blank lines, a line of mbox. */
const BEFORE_HEADER = /^(?:\xef\xbb\xbf)?(?:(\d+)[ \t]*\r?\n)?(?:[ \t]*\r?\n)*(?:>?From [^\n]*\n)?/;

/** The bytes of the message in a file. */
function messageIn(bytes: Buffer): Buffer {
  const [before, size] = BEFORE_HEADER.exec(bytes.toString('latin1', 0, MOST_BEGINNING))!;
  // A property list follows the message in files of Apple Mail.
  const end = size === undefined ? bytes.length : bytes.indexOf(LINE_FEED) + 1 + Number(size);
  return bytes.subarray(before.length, end);
}

/** Gives the text of a message as a document: of several parts joined by blank lines. Skipped: MAIL_NO_HEADER, MAIL_NO_TEXT, TOO_LARGE. */
export function giveMail({ file, record, bytes, isOfMbox }: Mail, reading: FormatReading): void {
  const { params, sink } = reading;
  const mail = partOf(messageIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  if (mail === null) {
    sink.skip(file, record, 'MAIL_NO_HEADER', null);
    return;
  }
  const [, bracketed, bare] = /<([^<>]*)>|([^\s<>]+)/.exec(mail.fields.get('message-id') ?? '') ?? [];
  const named = bracketed ?? bare ?? '';
  const id = named === '' || named.length > MOST_ID_BYTES ? null : Buffer.from(named, 'latin1');
  const parts = textParts(mail);
  const usual = parts.filter((part) => rankOf(part) < OTHER);
  if (parts.length === 0) {
    sink.skip(file, record, 'MAIL_NO_TEXT', id);
    return;
  }
  reading.giveFields((name) => Buffer.from(decodedWords(mail.fields.get(name) ?? '')));
  const texts: Uint8Array[] = [];
  let [isPage, isRepaired, isTooLarge] = [false, false, false];
  for (const part of usual.length > 0 ? usual : parts) {
    const body = decodedBody(isOfMbox ? withoutQuotes(part.body) : part.body, part.fields);
    const charset = charsetIn(part.fields.get('content-type') ?? '');
    const isVisible = readsPages(params) && (part.type === HTML || isPageOfRecord(body, params.textFormat));
    const found = isVisible
      ? pageText(body, charset, params)
      : heldText(body, encodingOfText(body, charset, params), params);
    isPage ||= isVisible;
    isTooLarge ||= found === null;
    isRepaired ||= found?.repaired === true;
    if (found !== null) texts.push(...(texts.length > 0 ? [BETWEEN_PARTS] : []), found.text);
  }
  const text = texts.length === 1 ? texts[0]! : Buffer.concat(texts);
  if (isTooLarge || text.length > params.maxDocument) sink.skip(file, record, 'TOO_LARGE', id);
  else if (!isPage) sink.whole(file, record, id, text, isRepaired);
  else if (sink.begin(file, record, id)) endPage(sink, text, isRepaired);
}

const BETWEEN_PARTS = Buffer.from('\n\n');

/** A message or a part of one. */
interface Part {
  /** By names in lower case, as binary strings. */
  readonly fields: Map<string, string>;
  readonly type: string;
  readonly body: Buffer;
}

const HEADER_END = /\r?\n\r?\n/;
const MOST_HEADER = 1 << 20;

/** Null: the bytes do not begin with a field. */
function partOf(bytes: Buffer): Part | null {
  const head = bytes.toString('latin1', 0, MOST_HEADER);
  const isBare = /^\r?\n/.exec(head);
  const end = isBare === null ? HEADER_END.exec(head) : null;
  const header = isBare === null ? head.slice(0, end?.index ?? head.length) : '';
  if (isBare === null && !/^[!-9;-~]+[ \t]*:/.test(header)) return null;
  // A field continues in lines that begin with white space.
  const fields = headerFields(header.replace(/\r?\n(?=[ \t])/g, ''));
  const from = isBare === null ? (end === null ? bytes.length : end.index + end[0].length) : isBare[0].length;
  const named = (fields.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const type = named.includes('/') ? named : 'text/plain';
  return { fields, type, body: bytes.subarray(from) };
}

/** Deeper parts are skipped. */
const MOST_DEPTH = 16;

const HTML = 'text/html';
/** The rank of other texts, such as calendars, which are read if there is nothing else. */
const OTHER = 2;

/** Of alternatives the one with the smallest rank is read. */
const rankOf = ({ type }: Pick<Part, 'type'>): number =>
  type === 'text/plain' ? 0 : type === HTML ? 1 : OTHER;

/**
 * The texts of a message in their order, forwarded ones included: of alternatives one, no attachments.
 */
function textParts(part: Part, depth = 0): readonly Part[] {
  const { type, body, fields } = part;
  if (depth === MOST_DEPTH) return [];
  if (type === 'message/rfc822') {
    const forwarded = partOf(body);
    return forwarded === null ? [] : textParts(forwarded, depth + 1);
  }
  if (type.startsWith('multipart/')) {
    const inner = Array.from(partsOf(part), (found) => textParts(found, depth + 1));
    return type === 'multipart/alternative' ? chosenOf(inner) : inner.flat();
  }
  const isAttached = /^\s*attachment/i.test(fields.get('content-disposition') ?? '');
  return type.startsWith('text/') && !isAttached ? [part] : [];
}

/** The texts of one of several alternatives: plain before HTML, blank ones last. */
function chosenOf(alternatives: readonly (readonly Part[])[]): readonly Part[] {
  const rankOfTexts = (parts: readonly Part[]): number =>
    parts.every(({ body }) => isBlank(body)) ? OTHER + 1 : Math.min(...parts.map(rankOf));
  return alternatives.reduce(
    (best, parts) => (rankOfTexts(parts) < rankOfTexts(best) ? parts : best),
    alternatives.find((parts) => parts.length > 0) ?? [],
  );
}

const MOST_BLANK = 4096;
const isBlank = (body: Buffer): boolean => body.length < MOST_BLANK && body.toString('latin1').trim() === '';

/** The parts of a multipart body, between lines `--boundary`. */
function* partsOf({ fields, body }: Part): Generator<Part> {
  const [, quoted, bare] =
    /boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(fields.get('content-type') ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined || boundary === '') return;
  const line = Buffer.from(`--${boundary}`, 'latin1');
  let from = -1;
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + line.length)) {
    if (at > 0 && body[at - 1] !== LINE_FEED) continue;
    const part = from < 0 ? null : partOf(body.subarray(from, at));
    if (part !== null) yield part;
    const feed = body.indexOf(LINE_FEED, at);
    from = feed < 0 ? body.length : feed + 1;
    if (body.toString('latin1', at + line.length, at + line.length + 2) === '--') return;
  }
  // The end of a message that was cut off.
  const last = from < 0 ? null : partOf(body.subarray(from));
  if (last !== null) yield last;
}

/** Without the `>` that mbox writes before lines of the body. */
function withoutQuotes(body: Buffer): Buffer {
  if (!body.includes('>From ')) return body;
  return Buffer.from(body.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1');
}

function decodedBody(body: Buffer, fields: Map<string, string>): Uint8Array {
  const encoding = (fields.get('content-transfer-encoding') ?? '').trim().toLowerCase();
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  return encoding === 'quoted-printable' ? quotedPrintable(body.toString('latin1')) : body;
}

/** RFC 2045, section 6.7: `=C3=A9`, and `=` at the end of a line that continues. */
function quotedPrintable(text: string): Buffer {
  const plain = text
    .replace(/[^\r\n]+/g, withoutLastBlanks)
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(plain, 'latin1');
}

/** A loop, because an expression would search a long run of blanks again from each of them. */
function withoutLastBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

/** Words in another encoding in a field (RFC 2047): `=?utf-8?q?caf=C3=A9?=`. */
function decodedWords(value: string): string {
  const joined = value.replace(/(\?=)\s+(?==\?)/g, '$1');
  return joined.replace(
    /=\?([^?*]+)(?:\*[^?]*)?\?([qb])\?([^?]*)\?=/gi,
    (word, label: string, kind: string, text: string) => {
      const isBase64 = kind.toLowerCase() === 'b';
      const bytes = isBase64 ? Buffer.from(text, 'base64') : quotedPrintable(text.replaceAll('_', ' '));
      try {
        return Buffer.from(decoded(bytes, label).text).toString();
      } catch {
        return word;
      }
    },
  );
}
