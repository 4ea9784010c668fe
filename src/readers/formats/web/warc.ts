/** Turns records of WARC and WET into documents: pages, texts, and conversions to text. */
import type { ReasonLeftOut } from '../../../blocks/documents.js';
import { isBinary } from '../../bytes/binaryKinds.js';
import type { ChunkDocuments } from '../../bytes/records.js';
import { MOST_ID_BYTES, refusesBinary } from '../../documentSink.js';
import { giveHeldText } from '../heldText.js';
import type { FormatReading } from '../reading.js';
import { bodyOf, httpResponse } from './httpMessage.js';
import { beginsPage, charsetIn, encodingOfText, givePage, type Page, readsPages } from './pages.js';
import { type WarcRecord, WarcRecords } from './warcRecords.js';

/** Gives the records of a chunk; reports those that are skipped or damaged. */
export class WarcDocuments extends WarcRecords implements ChunkDocuments {
  readonly #file: number;
  readonly #reading: FormatReading;

  constructor(bytes: Buffer, file: number, reading: FormatReading) {
    super({ bytes });
    this.#file = file;
    this.#reading = reading;
  }

  give(number: number): void {
    const { sink } = this.#reading;
    const { record } = this;
    if ('problem' in record) sink.skip(this.#file, number, record.problem, targetOf(record.fields));
    else {
      const passed = giveRecord(record, this.#file, number, this.#reading);
      if (passed !== null) sink.pass?.(this.#file, passed, 1);
    }
  }
}

/** The address of a record, as bytes; old writers put it in angle brackets. Null: it has none, or too long a one. */
function targetOf(fields: Map<string, string> | null): Uint8Array | null {
  const uri = (fields?.get('warc-target-uri') ?? '').replace(/^<(.*)>$/, '$1');
  return uri === '' || uri.length > MOST_ID_BYTES ? null : Buffer.from(uri, 'latin1');
}

/** Records about the archive and about other records. */
const ABOUT_OTHERS = ['warcinfo', 'request', 'metadata'];

type Intact = Extract<WarcRecord, { block: Buffer }>;

/** Returns why a record was left out; null: it was given, skipped, or is about other records. */
function giveRecord(
  record: Intact,
  file: number,
  number: number,
  reading: FormatReading,
): ReasonLeftOut | null {
  const { fields, block } = record;
  const type = fields.get('warc-type')?.toLowerCase();
  if (type === 'revisit') return 'revisits';
  if (type === 'continuation') return 'segments';
  if (type !== undefined && ABOUT_OTHERS.includes(type)) return null;
  if (type !== 'response' && type !== 'resource' && type !== 'conversion') return 'other types';
  const page = { file, record: number, id: targetOf(fields) };
  const response = type === 'response' ? httpResponse(block) : null;
  if (response === null)
    return giveBody({ ...page, bytes: block }, fields.get('content-type'), fields, reading);
  if (response.status < 200 || response.status > 299) return 'other statuses';
  const mediaType = response.fields.get('content-type');
  if (kindOf(mediaType) === 'other') return 'other types';
  const bytes = bodyOf(response, reading.params.maxDocument);
  if (typeof bytes !== 'string') return giveBody({ ...page, bytes }, mediaType, fields, reading);
  reading.sink.skip(file, number, bytes, page.id);
  return null;
}

const PAGES = ['text/html', 'application/xhtml+xml'];
const TEXTS = /^(?:text\/.*|application\/(?:(?:.*\+)?(?:json|xml)|x-ndjson|jsonl))$/;
/** Resources of pages, and answers of name servers. */
const NO_TEXTS = ['text/css', 'text/javascript', 'text/ecmascript', 'text/dns'];

/** The kind of a body by its media type; `unknown`: it has none. */
function kindOf(mediaType: string | undefined): 'page' | 'text' | 'other' | 'unknown' {
  const name = (mediaType ?? '').split(';')[0]!.trim().toLowerCase();
  if (name === '') return 'unknown';
  if (PAGES.includes(name)) return 'page';
  return TEXTS.test(name) && !NO_TEXTS.includes(name) ? 'text' : 'other';
}

/** @param header of the record, whose fields are its fields, with names in any case */
function giveBody(
  page: Page,
  mediaType: string | undefined,
  header: Map<string, string>,
  reading: FormatReading,
): ReasonLeftOut | null {
  const { params } = reading;
  const typed = kindOf(mediaType);
  const kind = typed !== 'unknown' ? typed : beginsPage(page.bytes) ? 'page' : 'other';
  const charset = charsetIn(mediaType ?? '');
  const isVisible = kind === 'page' && readsPages(params);
  const encoding = isVisible ? '' : encodingOfText(page.bytes, charset, params);
  const isOther = refusesBinary(params) && encoding === 'utf-8' && isBinary(page.bytes);
  if (kind === 'other' || isOther) return 'other types';
  reading.giveFields((name) => Buffer.from(header.get(name) ?? '', 'latin1'));
  if (isVisible) givePage({ ...page, charset }, reading);
  else giveHeldText(page, encoding, reading);
  return null;
}
