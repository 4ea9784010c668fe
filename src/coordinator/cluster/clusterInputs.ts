/**
 * Lists the input files below addresses of a cluster's file systems, as listInputs (src/readers/list/inputs.ts) does
 * below paths.
 */

import type { ClusterFiles } from '../../engines/cluster/clusterFiles.js';
import { type Fault, MinHashError } from '../../errors.js';
import { FileTableBuilder } from '../../readers/list/fileTable.js';
import { pathFilter } from '../../readers/list/filter.js';
import { fileKindOf } from '../../readers/list/formats.js';
import { HIDDEN, type Inputs, type RootPlace } from '../../readers/list/inputs.js';
import { binaryOf, nameOf, rootPrefixes, textOf } from '../../readers/list/pathIds.js';
import type { ResultParams } from '../../sketch/params.js';

/** The files that a PATH leads to. */
interface ClusterRoot {
  readonly typed: string;
  /** The full address, as manifests of jobs have it, without a slash at its end. */
  readonly address: string;
  readonly isFolder: boolean;
  readonly files: readonly { readonly relative: string; readonly bytes: number; readonly time: number }[];
  readonly hidden: number;
}

const NO_LINKS: Inputs['links'] = {
  places: { offsets: new Uint32Array(1), bytes: new Uint8Array(0) },
  rows: new Uint32Array(0),
  codes: new Uint8Array(0),
};

/** @throws MinHashError PATH_MISSING for every PATH that is not there */
export async function listClusterInputs(
  paths: readonly string[],
  files: ClusterFiles,
  params: ResultParams,
): Promise<Inputs> {
  const found: (ClusterRoot | null)[] = [];
  for (const typed of paths) found.push(await rootAt(typed, files));
  const faults = paths.filter((_, i) => found[i] === null);
  if (faults.length > 0) {
    throw new MinHashError(
      faults.map((path): Fault => ({ code: 'PATH_MISSING', detail: JSON.stringify(path) })),
    );
  }
  const known = found.filter((root) => root !== null);
  const roots = withoutInner(known);
  const absolutes = roots.map(({ address }) => binaryOf(address));
  const prefixes = rootPrefixes(absolutes);
  const table = new FileTableBuilder();
  const leftOut = { hidden: 0, unwanted: 0, results: [] };
  const filters = params.include.length > 0 || params.exclude.length > 0;
  const filter = filters ? pathFilter(params.include, params.exclude) : null;
  const places = roots.map((root, i): RootPlace => {
    leftOut.hidden += root.hidden;
    leftOut.unwanted += addFiles(
      table,
      root,
      { absolute: absolutes[i]!, prefix: prefixes[i]!, given: i },
      (name) => (filter === null || filter.wants(name) ? fileKindOf(name, params) : null),
    );
    const place = root.isFolder ? prefixes[i]! : prefixes[i] || nameOf(absolutes[i]!);
    return { prefix: textOf(place), path: root.typed, kind: root.isFolder ? 'folder' : 'file' };
  });
  return {
    ...{ files: table.finish(), skipped: [], faults: [], roots: absolutes.toSorted(), links: NO_LINKS },
    places,
    leftOut: { ...leftOut, links: { inside: 0, outside: 0, broken: 0 } },
  };
}

/** Adds the wanted files of a root; returns the number of the others. `kindOf`: null for a file that is not wanted. */
function addFiles(
  table: FileTableBuilder,
  { isFolder, files }: ClusterRoot,
  { absolute, prefix, given }: { readonly absolute: string; readonly prefix: string; readonly given: number },
  kindOf: (name: string) => ReturnType<typeof fileKindOf> | null,
): number {
  let unwanted = 0;
  if (isFolder) table.addFolder(absolute, prefix, given);
  for (const { relative, bytes, time } of files) {
    const name = isFolder ? binaryOf(relative) : nameOf(absolute);
    const kind = kindOf(name);
    if (kind === null) unwanted++;
    else if (isFolder) table.addFile('', name, kind, bytes, time);
    else table.addSingle(absolute, prefix || name, kind, bytes, time, given);
  }
  return unwanted;
}

async function rootAt(typed: string, files: ClusterFiles): Promise<ClusterRoot | null> {
  const address = (await files.qualified(typed)).replace(/(?<=[^/:])\/+$/, '');
  const listed = await files.list(typed);
  if (listed === null) return null;
  const only = listed[0];
  if (listed.length === 1 && only?.uri === address && !only.isFolder) {
    const { bytes, time } = only;
    return { typed, address, isFolder: false, files: [{ relative: '', bytes, time }], hidden: 0 };
  }
  const hidden = new Set<string>();
  const below = listed.flatMap(({ uri, bytes, time, isFolder }) => {
    const relative = uri.slice(address.length + 1);
    const entry = HIDDEN.exec(relative)?.[0];
    if (entry !== undefined) hidden.add(entry);
    return isFolder || entry !== undefined ? [] : [{ relative, bytes, time }];
  });
  below.sort((x, y) => Buffer.compare(Buffer.from(x.relative), Buffer.from(y.relative)));
  return { typed, address, isFolder: true, files: below, hidden: hidden.size };
}

/** The roots without repetitions and without those below other roots, which are read with these. */
function withoutInner(roots: readonly ClusterRoot[]): ClusterRoot[] {
  const isWithin = (inner: ClusterRoot, outer: ClusterRoot): boolean =>
    inner !== outer && outer.isFolder && inner.address.startsWith(`${outer.address}/`);
  const distinct = roots.filter(
    (root, i) => roots.findIndex(({ address }) => address === root.address) === i,
  );
  return distinct.filter((root) => !distinct.some((other) => isWithin(root, other)));
}
