/** Pages of HTML: how first bytes and character sets show them, and their visible text as a document. */
import { isUtf8 as isValidUtf8 } from 'node:buffer';
import { AS_TEXT, PAGE, type TextSink } from '../../../blocks/documents.js';
import { decoded, isUtf8, startAfterMark, utf16Of } from '../../bytes/encodings.js';
import type { ReadParams } from '../../documentSink.js';
import { parser } from '../../parsers/load.js';
import type { HeldText, TextTaker } from '../heldText.js';

/** Whether the visible text of pages is read; else their source is. */
export function readsPages({ textFormat, shingle }: ReadParams): boolean {
  return textFormat !== 'text' && shingle.unit !== 'bytes';
}

/** Whether a text in UTF-8 is a page, by the options or its first bytes. */
export function isPage(text: Uint8Array, params: ReadParams): boolean {
  if (!readsPages(params)) return false;
  return params.textFormat === 'html' || (params.input === 'auto' && beginsPage(text));
}

/** Whether the text of a record is a page. */
export function isPageOfRecord(text: Uint8Array, textFormat: ReadParams['textFormat']): boolean {
  return textFormat === 'html' || beginsPage(text);
}

/** Bytes of a text that are read to recognise it. */
const HEAD_BYTES = 4096;
const LESS = 0x3c;
const BEGINS = /^(?:\s|<\?xml\b[^>]*>|<!--(?:(?!-->)[\s\S])*-->)*<(?:!doctype\s+html|html)[\s>]/i;
const BEGINS_XML = /^\s*<\?xml\s/;

/** Whether a text begins as pages do: with a doctype or `<html>`, behind white space, comments and an XML declaration. */
export function beginsPage(bytes: Uint8Array): boolean {
  let at = startAfterMark(bytes);
  while (at < HEAD_BYTES && isSpace(bytes[at])) at++;
  return bytes[at] === LESS && BEGINS.test(latin1(bytes, at, HEAD_BYTES));
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    'latin1',
    from,
    Math.min(to, bytes.length),
  );
}

/** Bytes of a page in which it may name its encoding. */
const PRESCAN_BYTES = 1024;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const META = /<meta[\s/](?:[^>"']|"[^"]*"|'[^']*')*/gi;
const ATTRIBUTE = /([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const CHARSET_IN = /charset\s*=\s*(?:["']\s*)?([^\s"';]+)/i;
const XML_ENCODING = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/;

/**
 * The encoding that a page declares; null: it declares none that is known. After the WHATWG HTML standard, prescan a byte
 * stream to determine its encoding.
 */
function declaredEncoding(bytes: Uint8Array): string | null {
  const head = latin1(bytes, 0, PRESCAN_BYTES);
  const xml = encodingOfLabel(XML_ENCODING.exec(head)?.[1]);
  if (xml !== null) return xml;
  for (const [meta] of head.replace(COMMENT, '').matchAll(META)) {
    const found = encodingOfLabel(charsetOfMeta(meta));
    if (found !== null) return found;
  }
  return null;
}

function charsetOfMeta(meta: string): string | undefined {
  const values = new Map<string, string>();
  for (const [, name, double, single, bare] of meta.matchAll(ATTRIBUTE)) {
    const key = name!.toLowerCase();
    if (!values.has(key)) values.set(key, double ?? single ?? bare ?? '');
  }
  const charset = values.get('charset');
  if (charset !== undefined) return charset;
  if (values.get('http-equiv')?.toLowerCase() !== 'content-type') return undefined;
  return charsetIn(values.get('content') ?? '');
}

export function charsetIn(mediaType: string): string | undefined {
  return CHARSET_IN.exec(mediaType)?.[1];
}

/**
 * The encoding of a label in a page; null if it is not known. A page whose label could be read as ASCII is not UTF-16.
 */
function encodingOfLabel(label: string | undefined): string | null {
  const name = label?.trim().toLowerCase();
  if (name === undefined || name === 'utf-8') return name ?? null;
  if (name === 'x-user-defined') return 'windows-1252';
  try {
    const { encoding } = new TextDecoder(name);
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    return null;
  }
}

/** The encoding of a text with a header: by its mark, that header, what it declares itself, or --encoding. */
export function encodingOfText(
  bytes: Uint8Array,
  charset: string | undefined,
  params: ReadParams,
  declared: () => string | null = () => null,
): string {
  if (startAfterMark(bytes) > 0) return 'utf-8';
  return utf16Of(bytes) ?? encodingOfLabel(charset) ?? declared() ?? params.encoding;
}

/** A page as a document. */
export interface Page extends HeldText {
  /** The encoding in the header of its response. */
  readonly charset?: string | undefined;
  /** The file holds records, and is compared as a text. */
  readonly isRecords?: boolean;
}

/** The source of a page is a string while it is read. */
const MOST_PAGE = 512_000_000;

/** The visible text of a page; null: source or text are larger than --max-document. */
export function pageText(
  bytes: Uint8Array,
  charset: string | undefined,
  params: ReadParams,
): { readonly text: Uint8Array; readonly repaired: boolean } | null {
  const encoding = encodingOfText(bytes, charset, params, () => declaredEncoding(bytes));
  const isValid = isUtf8(encoding) && isValidUtf8(bytes);
  if (isValid) return visibleText(bytes.subarray(startAfterMark(bytes)), params.maxDocument, false);
  const { text, repaired } = decoded(bytes, encoding);
  return visibleText(text, params.maxDocument, repaired);
}

function visibleText(source: Uint8Array, most: number, repaired: boolean): ReturnType<typeof pageText> {
  if (source.length > Math.min(most, MOST_PAGE)) return null;
  const isXml = BEGINS_XML.test(latin1(source, 0, PRESCAN_BYTES));
  const text = parser('htmlText').htmlText(source, isXml);
  return text.length > most ? null : { text, repaired };
}

/** Gives the visible text of a page as a document. Skipped: TOO_LARGE, where source or text are larger than --max-document. */
export function givePage(
  { file, record, id, bytes, charset, isRecords }: Page,
  { params, sink }: TextTaker,
): void {
  if (!sink.begin(file, record, id)) return;
  if (isRecords === true) sink.is?.(AS_TEXT);
  const found = pageText(bytes, charset, params);
  if (found === null) sink.skip(file, record, 'TOO_LARGE', id);
  else endPage(sink, found.text, found.repaired);
}

/** Ends a document, which was begun, with its visible text. */
export function endPage(sink: TextSink, text: Uint8Array, repaired: boolean): void {
  sink.is?.(PAGE);
  if (text.length > 0) sink.text(text);
  sink.end(repaired);
}

/** Gives the texts of records; of those that are pages, which only their first bytes show, the visible text. */
export class RecordTexts {
  readonly #sink: TextSink;
  readonly #params: ReadParams;
  /** A copy: objects of parameters differ in shape between tasks, and compiled code depends on the shape. */
  readonly #textFormat: ReadParams['textFormat'];
  /** Whether texts may be pages; null: all are. */
  readonly seeksPages: boolean | null;

  constructor(sink: TextSink, params: ReadParams) {
    this.#sink = sink;
    this.#params = params;
    this.#textFormat = params.textFormat;
    this.seeksPages = !readsPages(params) ? false : params.textFormat === 'html' ? null : true;
  }

  /** See TextSink. */
  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    const sink = this.#sink;
    if (this.seeksPages === false || !isPageOfRecord(text, this.#textFormat)) {
      sink.whole(file, record, id, text, repaired);
      return;
    }
    // Copies: they may be in memory of the sink.
    const [source, name] = [text.slice(), id?.slice() ?? null];
    if (!sink.begin(file, record, name)) return;
    const found = visibleText(source, this.#params.maxDocument, repaired);
    if (found === null) sink.skip(file, record, 'TOO_LARGE', name);
    else endPage(sink, found.text, repaired);
  }
}
