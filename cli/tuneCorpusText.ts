/**
 * What `tune` expects of a corpus, as lines for people: every number with its bounds, and what it does not say.
 *
 * Floor 5. Pure.
 */
import type { CorpusEstimate } from '../src/index.js';
import { bytesText, counted, durationText, grouped } from './amounts.js';
import { estimateText, percentText, shareText } from './tuneNumbers.js';

/** The corpus, its pairs, each setting on it, memory and time, and how far the sample can be trusted. */
export function corpusLines(estimate: CorpusEstimate): string[] {
  const { sample } = estimate;
  const lines = [
    `corpus: ${counted(estimate.files, 'file')}, documents: ${estimateText(estimate.documents)}`,
    sampleLine(estimate),
  ];
  if (sample.streams > 0) {
    const streams = counted(sample.streams, 'lines file');
    lines.push(
      `${streams} can only be read from the beginning (gzip, encoding): nothing here counts their records`,
    );
  }
  if (sample.cut) lines.push('the last file was too large: its first documents stand for all of it');
  if (sample.documents - sample.empty < 2) return [...lines, 'too few documents to say anything about pairs'];
  return [
    ...lines,
    '',
    ...pairLines(estimate),
    '',
    ...settingLines(estimate),
    '',
    ...costLines(estimate),
    ...trustLines(estimate),
  ];
}

function sampleLine({ sample, shinglesPerDocument }: CorpusEstimate): string {
  const left = [
    ...(sample.empty > 0 ? [`${grouped(sample.empty)} empty`] : []),
    ...(sample.skipped > 0 ? [`${grouped(sample.skipped)} skipped`] : []),
  ];
  const documents = `${counted(sample.documents, 'document')}${left.length > 0 ? ` (${left.join(', ')})` : ''}`;
  const all = sample.whole ? ', which is everything' : '';
  const shingles = `${grouped(Math.round(shinglesPerDocument))} shingles each`;
  return `sample: ${documents}, ${bytesText(sample.bytes)}, ${shingles}${all}`;
}

function pairLines({ pairsAtLeast, identicalPairs }: CorpusEstimate): string[] {
  return [
    'pairs by the agreement of their signatures:',
    ...pairsAtLeast.map(({ similarity, seen, pairs }) => {
      return `  ${shareText(similarity)} and more: ${estimateText(pairs)}, seen ${grouped(seen)} in the sample`;
    }),
    `  of the same tokens: ${estimateText(identicalPairs)}`,
  ];
}

function settingLines({ settings, threshold }: CorpusEstimate): string[] {
  return settings.flatMap(({ bands, rows, candidates, found, missed }) => {
    const all = found.value + missed.value;
    const share = all > 0 ? `, ${percentText(missed.value / all)} of them` : '';
    return [
      `${bands}x${rows}: candidates ${estimateText(candidates)}`,
      `  of near pairs at ${shareText(threshold)} and more: found ${estimateText(found)}`,
      `  never seen ${estimateText(missed)}${share}`,
    ];
  });
}

function costLines({
  settings,
  setBytesAtMost,
  readMilliseconds,
  textBytes,
  threads,
}: CorpusEstimate): string[] {
  const memory = Math.max(...settings.map(({ memoryBytes }) => memoryBytes));
  const lines = [
    `memory: about ${bytesText(memory)}, and candidate pairs; --verify exact adds the shingle sets of documents`,
    `  in candidate pairs, ${bytesText(setBytesAtMost)} if all of them are`,
  ];
  if (readMilliseconds === null) return lines;
  const once = durationText(readMilliseconds);
  const workers = threads === 0 ? 'this thread' : counted(threads, 'thread');
  return [
    ...lines,
    `time: about ${once} to read and sketch ${bytesText(textBytes)} on ${workers}, at the rate of the sample;`,
    `  up to ${durationText(2 * readMilliseconds)} with --verify exact, which reads documents of candidate pairs again;`,
    '  starting, comparing candidates and writing come on top',
  ];
}

function trustLines({ sample, seenGroup, identicalPairs }: CorpusEstimate): string[] {
  const lines: string[] = [];
  if (!sample.whole) {
    lines.push(
      '',
      'bounds hold in about 95 of 100 samples, where alike documents are spread over the corpus; a group of fewer than',
      `${grouped(seenGroup)} documents alike can be missed by the sample altogether (try another --seed or more --sample)`,
    );
  }
  if (identicalPairs.value > 0) {
    lines.push(
      'copies are counted here one by one; a run compares the first of documents with the same tokens only, so fewer pairs',
    );
  }
  return lines;
}
