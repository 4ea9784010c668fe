/**
 * Mail as documents (RFC 5322, RFC 2045 to 2047): the text of a message, its plain form before HTML, decoded. The id is the
 * Message-ID without its angle brackets.
 *
 *      From ada@example.org Mon Jan  1 00:00:00 2024       mbox: such a line behind a blank one begins a message (BEGINS_MESSAGE)
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
import { giveHeldText, type HeldText } from './heldText.js';
import type { FormatReading } from './reading.js';
import { charsetIn, encodingOfText, givePage, readsPages } from './web/pages.js';
import { headerFields } from './web/warcRecords.js';

const BEGIN = Buffer.from('From ');
const NEXT = Buffer.from('\nFrom ');

/** A line that begins a message has a time, or a field of the header follows it: otherwise it is a line of the body. */
const BEGINS_MESSAGE = /^From (?:[^\n]*\d:\d\d[^\n]*\n|[^\n]*\n[!-9;-~]+[ \t]*:)/;
/** Bytes of that line and the next one that are looked at. */
const MOST_BEGINNING = 1024;

/** Whether bytes begin as mbox does. */
export function beginsMbox(head: Uint8Array): boolean {
  return BEGINS_MESSAGE.test(Buffer.from(head.subarray(0, MOST_BEGINNING)).toString('latin1'));
}

/**
 * The next line from `at` on that begins a message, behind a blank one; -1: there is none. In open bytes all that is looked at must be
 * there.
 */
function nextMessage(bytes: Buffer, at: number, isOpen: boolean): number {
  for (let feed = bytes.indexOf(NEXT, at); feed >= 0; feed = bytes.indexOf(NEXT, feed + 1)) {
    const before = bytes[feed - 1] === RETURN ? feed - 2 : feed - 1;
    if (before >= 0 && bytes[before] !== LINE_FEED) continue;
    if (isOpen && feed + 1 + MOST_BEGINNING > bytes.length) return -1;
    if (BEGINS_MESSAGE.test(bytes.toString('latin1', feed + 1, feed + 1 + MOST_BEGINNING))) return feed + 1;
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
  resume: (bytes) => nextMessage(bytes, 2, true),
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

/** Gives the text of a message as a document. Skipped: MAIL_NO_HEADER, MAIL_NO_TEXT, TOO_LARGE. */
export function giveMail({ file, record, bytes, isOfMbox }: Mail, reading: FormatReading): void {
  const { params, sink, extraFields } = reading;
  const mail = partOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (mail === null) {
    sink.skip(file, record, 'MAIL_NO_HEADER', null);
    return;
  }
  const named = /<([^<>]*)>/.exec(mail.fields.get('message-id') ?? '')?.[1] ?? '';
  const id = named === '' || named.length > MOST_ID_BYTES ? null : Buffer.from(named, 'latin1');
  const text = textPart(mail, 'text/plain') ?? textPart(mail, 'text/html');
  if (text === null) {
    sink.skip(file, record, 'MAIL_NO_TEXT', id);
    return;
  }
  if (extraFields !== null) {
    extraFields.values.clear();
    extraFields.names.forEach((name, i) => {
      const value = Buffer.from(decodedWords(mail.fields.get(name.toLowerCase()) ?? ''));
      extraFields.values.setText(i, value, 0, value.length);
    });
    sink.fields?.(extraFields.values);
  }
  const body = isOfMbox ? withoutQuotes(text.body) : text.body;
  const held = { file, record, id, bytes: decompressed(body, text.fields) };
  const charset = charsetIn(text.fields.get('content-type') ?? '');
  if (text.type === 'text/html' && readsPages(params)) givePage({ ...held, charset }, reading);
  else giveHeldText(held, encodingOfText(held.bytes, charset, params), reading);
}

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
  const type = (fields.get('content-type') ?? 'text/plain').split(';')[0]!.trim().toLowerCase();
  return { fields, type, body: bytes.subarray(from) };
}

/** Deeper parts are skipped. */
const MOST_DEPTH = 16;

/** The first part of this type that is not an attachment; null: there is none. */
function textPart(part: Part, type: string, depth = 0): Part | null {
  const isAttached = /^\s*attachment/i.test(part.fields.get('content-disposition') ?? '');
  if (part.type === type) return isAttached ? null : part;
  if (part.type === 'message/rfc822' && depth < MOST_DEPTH) {
    const forwarded = partOf(part.body);
    return forwarded && textPart(forwarded, type, depth + 1);
  }
  if (!part.type.startsWith('multipart/') || depth === MOST_DEPTH) return null;
  for (const inner of partsOf(part)) {
    const found = textPart(inner, type, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

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

function decompressed(body: Buffer, fields: Map<string, string>): Uint8Array {
  const encoding = (fields.get('content-transfer-encoding') ?? '').trim().toLowerCase();
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  return encoding === 'quoted-printable' ? quotedPrintable(body.toString('latin1')) : body;
}

/** RFC 2045, section 6.7: `=C3=A9`, and `=` at the end of a line that continues. */
function quotedPrintable(text: string): Buffer {
  const plain = text
    .replace(/[ \t]+(?=\r?\n|$)/g, '')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(plain, 'latin1');
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
