/** Reads the records of a dataset for the recipe: part after part, in the order of the numbers in their names. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { OneRecord, type RecordSource } from '../../tasks/stream/records.js';
import type { DatasetRecord } from '../job.js';
import type { ClusterFiles } from './clusterFiles.js';

/** Most bytes that are fetched from the cluster at once. */
const MOST_FETCHED = 256 * 2 ** 20;
const MOST_PARTS = 64;
const PART = /\/part-(?:[rm]-)?(\d+)[^/]*$/;

interface JobDataset {
  /** The job that wrote the dataset, for messages. */
  readonly job: string;
  readonly folder: string;
  /** How many records the job wrote. */
  readonly records: number;
}

interface Reading {
  readonly files: ClusterFiles;
  /** A folder of this machine for fetched parts. */
  readonly scratch: string;
  /** @param name of the part, for messages */
  decode(chunks: AsyncIterable<Uint8Array>, name: string): AsyncIterable<DatasetRecord>;
}

interface Part {
  readonly uri: string;
  readonly bytes: number;
  readonly number: number;
}

/** @param kind only the records of it. @throws MinHashError JOB_COUNTS where the number of records differs from `records` */
export async function* storedRecords(
  { job, folder, records }: JobDataset,
  reading: Reading,
  kind?: number,
): AsyncGenerator<RecordSource, void, undefined> {
  const listed = (await reading.files.list(folder)) ?? [];
  const parts = listed.flatMap(({ uri, bytes, isFolder }) => {
    const number = isFolder ? undefined : PART.exec(uri)?.[1];
    return number === undefined ? [] : [{ uri, bytes, number: Number(number) }];
  });
  parts.sort((a, b) => a.number - b.number);
  let count = 0;
  for await (const [key, value] of recordsOf(parts, reading)) {
    count++;
    if (kind === undefined || key[0] === kind) yield new OneRecord(key, value);
  }
  if (count === records) return;
  const detail = `${job}: ${folder} has ${count} records, its job wrote ${records}`;
  throw new MinHashError({ code: 'JOB_COUNTS', detail });
}

/** Fetches several small parts at once, because each command starts a JVM. */
async function* recordsOf(
  parts: readonly Part[],
  reading: Reading,
): AsyncGenerator<DatasetRecord, void, undefined> {
  const { files, decode } = reading;
  for (let at = 0; at < parts.length; ) {
    let end = at + 1;
    let bytes = parts[at]!.bytes;
    while (end < parts.length && end - at < MOST_PARTS && bytes + parts[end]!.bytes <= MOST_FETCHED)
      bytes += parts[end++]!.bytes;
    const some = parts.slice(at, end).map(({ uri }) => uri);
    at = end;
    if (bytes > MOST_FETCHED) yield* decode(files.read(some[0]!), some[0]!);
    else yield* fetched(some, reading);
  }
}

async function* fetched(
  uris: readonly string[],
  { files, scratch, decode }: Reading,
): AsyncGenerator<DatasetRecord, void, undefined> {
  const folder = await mkdtemp(join(scratch, 'read-'));
  try {
    const places = await files.fetch(uris, folder);
    for (const [i, place] of places.entries()) yield* decode(files.read(place), uris[i]!);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
