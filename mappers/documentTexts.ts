/**
 * Map: wanted documents -> their texts, for people to read and for comparing a few of them.
 *
 *      found        u32      numbers of the wanted documents that are there, ascending
 *      offsets      f64      n+1: text i is bytes [offsets[i], offsets[i + 1])
 *      bytes        u8       UTF-8, as the reader passes it
 */

import { ByteColumn, Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import type { DocumentFeed, DocumentSink } from '../src/blocks/documents.js';
import { type WantedDocuments, WantedList } from './shingleSets.js';

/** The texts of these documents (ascending by file and record, each once): kind `text`. */
export function documentTexts(feed: DocumentFeed, wanted: WantedDocuments): Block {
  const found = new Uint32Column();
  const offsets = new Float64Column();
  const bytes = new ByteColumn();
  const list = new WantedList(wanted);
  let number = -1;
  let before = 0;
  offsets.push(0);
  const isWanted = (file: number, record: number): boolean => {
    number = list.numberOf(file, record);
    return number >= 0;
  };
  const close = (): void => {
    found.push(number);
    offsets.push(bytes.length);
    before = bytes.length;
  };
  const sink: DocumentSink = {
    begin: (file, record) => isWanted(file, record),
    text: (piece) => bytes.append(piece),
    end: close,
    whole(file, record, _id, text) {
      if (!isWanted(file, record)) return;
      bytes.append(text);
      close();
    },
    skip: () => bytes.truncate(before),
  };
  feed(sink);
  return encodeBlock('text', {}, { found: found.view, offsets: offsets.view, bytes: bytes.view });
}
