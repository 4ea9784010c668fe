/**
 * What the thread that reads and the thread that fetches say to each other.
 *
 * Types only. Addresses are texts; offsets and lengths are bytes, times milliseconds since 1970 in whole seconds, because
 * that is what servers say when an object is read; 0 where a server does not say it.
 */
import type { Fault } from '../../../errors.js';

/** Bytes of an object from `from` on. */
export interface Range {
  readonly from: number;
  readonly length: number;
  /** As far as is known these are all bytes of the object, so that no range need be asked for. */
  readonly isWhole?: boolean;
}

/** An object that will be opened, and which of its bytes are wanted then. */
export interface AnnouncedObject {
  readonly address: string;
  readonly first: Range;
}

export type Errand =
  /** What a PATH leads to; what was remembered of objects is forgotten. */
  | { readonly kind: 'find'; readonly address: string }
  /** Opens an object under a number of the asker, and reads its first bytes. `keepsHead`: others will open it again soon. */
  | {
      readonly kind: 'open';
      readonly file: number;
      readonly address: string;
      readonly first: number;
      readonly keepsHead: boolean;
    }
  | ({ readonly kind: 'read'; readonly file: number } & Range)
  /** No answer: what will be read next. */
  | ({ readonly kind: 'ahead'; readonly file: number } & Range)
  /** No answer. */
  | { readonly kind: 'close'; readonly file: number }
  /** No answer: what will be opened next, in this order; what was announced before and not opened is forgotten. */
  | { readonly kind: 'announce'; readonly objects: readonly AnnouncedObject[] };

/** What a PATH leads to. `keys` of a folder stand behind its prefix. */
export type Found =
  | { readonly kind: 'file'; readonly size: number; readonly time: number }
  | {
      readonly kind: 'folder';
      readonly keys: readonly string[];
      readonly sizes: Float64Array;
      readonly times: Float64Array;
    };

/** An object that was opened, and its first bytes. */
export interface Opened {
  readonly size: number;
  readonly time: number;
  readonly bytes: Uint8Array;
}

export interface Answers {
  readonly find: Found;
  readonly open: Opened;
  readonly read: Uint8Array;
}

export type Answered = keyof Answers;
export type ErrandAnswer<K extends Answered = Answered> =
  | { readonly value: Answers[K] }
  | { readonly refusal: Fault };

/** What the thread that fetches is started with. */
export interface FetchSetup {
  /** A number that rises with every answer. */
  readonly signal: SharedArrayBuffer;
}
