/** Flags that earlier versions or other commands have, each with what to do instead. Dropped at 1.0. */
import { flagName } from '../errors.js';

const NO_RESUME = 'run the same command again with --resume';
const NO_HADOOP = 'Hadoop Streaming is no longer supported; run on one machine';

/** By flag: what to do instead, as the end of an error message. */
const REMOVED_FLAGS: Readonly<Record<string, string>> = {
  '--checkpoint-after': NO_RESUME,
  '--cluster-work': '--spark-work names the folder for tables of Spark',
  '--decisions': 'view saves an edited drop list; pass it to apply RESULT --drop-list FILE',
  '--format': 'results are TSV, which DuckDB, pandas and spreadsheets read',
  '--hadoop-command': NO_HADOOP,
  '--hadoop-conf': NO_HADOOP,
  '--expand-identical': 'pairs connect the documents of a duplicate group; clusters/ lists all of them',
  '--keep-work': NO_RESUME,
  '--ship-node': NO_HADOOP,
  '--spark-command': 'spark-submit is found by SPARK_HOME or on PATH',
  '--sql': "pipe the rows: duckdb -jsonl -c 'SELECT id, text FROM ...' | mr-minhash run -",
  '--method': 'candidates are found by MinHash; SSWF compares texts in compare and query (--method sswf)',
  '--modulus':
    'documents are compared by signatures; compare has estimates from samples of fingerprints (mod-m)',
  '--sample': 'signatures cover all shingles; shorter ones (--hashes) take less memory',
  '--max-shingle-documents':
    'signatures cover all shingles; large buckets are compared in linear time (--hot-bucket)',
  '--representative': '--cluster greedy gives each kept document with the documents dropped for it',
  '--group-field': 'compare one group with another: run PATHs --against REFERENCE',
  '--group-by': 'compare one folder with another: run PATHs --against REFERENCE',
  '--prefer': 'order the PATHs by preference: the first of several near-duplicates is kept',
  '--protect': 'documents of --against are never dropped',
  '--task-timeout': 'tasks have no time limit; interrupt a run with Ctrl-C',
};

/** Removed flags that had no value: the word after them belongs to something else. */
const REMOVED_SWITCHES: readonly string[] = ['--expand-identical', '--keep-work', '--ship-node'];

interface RemovedFlag {
  readonly instead: string;
  readonly isSwitch: boolean;
}

/** A removed flag by its name (`--hadoop-conf`) or its key (`hadoopConf`); null: there was no such flag. */
export function removedFlag(name: string): RemovedFlag | null {
  const flag = name.startsWith('--') ? name : flagName(name);
  if (!Object.hasOwn(REMOVED_FLAGS, flag)) return null;
  return { instead: REMOVED_FLAGS[flag]!, isSwitch: REMOVED_SWITCHES.includes(flag) };
}
