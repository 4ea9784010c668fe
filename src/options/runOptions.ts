/**
 * The options of a run as a user gives them, to the library or in a `--config` file: all optional, all plain
 * JSON.
 *
 * Types only.
 */
import type {
  ClusterKind,
  HtmlReading,
  InputKind,
  Measure,
  RepresentativeKind,
  ResultFormat,
  RunMethod,
  SampleName,
  SketchName,
  Unit,
  VerifyMode,
} from '../sketch/params.js';
import type { RatingRule } from '../text/elements.js';

/** Where the tasks of a run work. */
export type EngineName = 'threads' | 'hadoop' | 'spark';

/** Other rules than the usual ones. */
export interface RuleOptions {
  /** Least number of equal slots of an accepted pair, 1..hashes, in the place of `threshold`. With `verify: 'signature'`. */
  readonly agree?: number;
  /** Only identical documents are looked for: nothing is sketched or bucketed. Default false. */
  readonly exactDuplicates?: boolean;
  /** Sketches are of one shingle in N, 1..65536. Default 1: of all. */
  readonly sample?: number;
  /** Shingles in more documents than so many are in no sketch, 2..10^9. Default: all are. Not for standard input. */
  readonly maxShingleDocuments?: number;
  /** How clusters are made; pairs and drop list are the same. Default `components`. */
  readonly cluster?: ClusterKind;
  /** What stands for a cluster, with `cluster: 'greedy'` only. Default `first`. */
  readonly representative?: RepresentativeKind;
}

/**
 * Options of `run`, `plan` and others: every flag of the command by its name in camel case (`--max-document` is
 * `maxDocument`), with the same values, ranges and defaults. Whatever is wrong with them is told at once, as OPTION_INVALID.
 */
export interface RunOptions extends RuleOptions {
  /** Files and directories to read; `-` is JSON lines on standard input. At least one, but with `sql`. */
  readonly paths?: readonly string[];

  /** `words:k`, `chars:k`, `bytes:k`, `lines:k` or `stopwords:k`, k 1..63. Default `words:5`. */
  readonly shingle?: string;
  /** A file with one word a line, or the words. For `stopwords:k` only. Default: a built-in English list. */
  readonly stopWords?: string | readonly string[];
  /** A shingle's n-th occurrence is its own element (Broder's option A). Default false. */
  readonly bag?: boolean;

  /** How candidates are found: `minhash`, by sketches, or `sswf`, by the order of common words. Default `minhash`. */
  readonly method?: RunMethod;
  /** What makes a pair: `resemblance`, the Jaccard similarity, or `containment`. Default `resemblance`. */
  readonly measure?: Measure;
  /** Least Jaccard similarity (or containment) of a reported pair, in (0, 1]. Default 0.8. */
  readonly threshold?: number;
  /** Default `fss`; `mod-m` where containment is measured. */
  readonly sketch?: SketchName | SampleName;
  /** Length of a signature, or of a sample of `min-s`, 16..1024. Default 128. */
  readonly hashes?: number;
  /** `mod-m` keeps one fingerprint in so many, 1..2^20. Default 8. */
  readonly modulus?: number;
  /** Bands of a signature; bands x rows <= hashes. Default: chosen for `recall`. */
  readonly bands?: number;
  /** Rows of a band. Default: chosen for `recall`. */
  readonly rows?: number;
  /** Least probability, in (0, 1), that a pair at the threshold becomes a candidate. Default 0.95. */
  readonly recall?: number;
  /** Documents of a bucket that are paired all with all, 2..1,000,000. Default 256. */
  readonly hotBucket?: number;
  /** Default `exact`. */
  readonly verify?: VerifyMode;
  /** 0..2^53-1. Default 1. */
  readonly seed?: number;

  /** Default `auto`: by file name. */
  readonly input?: InputKind;
  /**
   * Field of a JSON record that holds the text. Default `text`. Given at all, every `.json` is read as
   * records.
   */
  readonly textField?: string;
  /** Field of a JSON record that holds its id. Default `id`. */
  readonly idField?: string;
  /**
   * With `input: 'sets'`: the fields of set, element and, if there is a third, weight or rating, as `1,2,3` or as names of
   * the first line; or a list of them. Default `1,2,3`.
   */
  readonly columns?: string | readonly string[];
  /** With `input: 'sets'`: the third field is a rating, and what it makes of an element. Default: it is a weight. */
  readonly ratings?: RatingRule;
  /** With `ratings` `liked` or `liked-hated`: the least rating that is liked, above 0. Default 4. */
  readonly likedFrom?: number;
  /** A label that TextDecoder knows. Default `utf-8`. */
  readonly encoding?: string;
  /** Of HTML: `text`, what a reader sees of it, or `raw`, its source. Default `text`. */
  readonly html?: HtmlReading;
  /** One character that separates the fields of CSV, TSV and sets. Default: a comma in `.csv` files, else a TAB. */
  readonly separator?: string;
  /** A query whose rows are read in the place of paths, by DuckDB (the package `@duckdb/node-api`). Default: none. */
  readonly sql?: string;
  /** Globs over relative paths. Default: all text. */
  readonly include?: string | readonly string[];
  /** Globs over relative paths. Default: none. */
  readonly exclude?: string | readonly string[];
  /** Bytes, or a size such as `10MB` (1 KB = 1000 bytes, 1 KiB = 1024). Default `1 GB`. */
  readonly maxDocument?: number | string;
  /** Default `skip`. */
  readonly onError?: 'skip' | 'fail';

  /**
   * Which of near-duplicates stays: `first`, `longest`, `shortest`, `newest`, `oldest`, `field:NAME`, `field:NAME:max` or
   * `field:NAME:min`. Default `first`: by the order of paths, then by id.
   */
  readonly keep?: string;
  /** Globs over places, sources in order of trust. Default: none. */
  readonly prefer?: string | readonly string[];
  /** Globs over places: documents that are never dropped. Default: none. */
  readonly protect?: string | readonly string[];
  /** Files and directories with documents that those of `paths` alone are compared with, and that are never dropped. */
  readonly against?: readonly string[];
  /** Only records with different values of this field are compared. */
  readonly groupField?: string;
  /** `path:N`: only documents are compared whose places differ in the first N parts. */
  readonly groupBy?: string;
  /** Default `document`. */
  readonly unit?: Unit;
  /** Units of fewer tokens are neither compared nor dropped. Default: of documents 0, else k of `shingle`. */
  readonly minTokens?: number;

  /** The folder for the result. Default `mr-minhash-out`. */
  readonly out?: string;
  /** Replace a result or an unfinished run of ours in that folder. Default false. */
  readonly force?: boolean;
  /**
   * Take up an unfinished run in that folder. Inputs, result options and version must be those of the run, else it is
   * refused; without `paths` they and the other options are those of the run. Default false.
   */
  readonly resume?: boolean;
  /** Keep the folder `.work` of the result. Default false. */
  readonly keepWork?: boolean;
  /** Then writes the corpus without what was dropped into this folder, as `applyResult` does. Default: nothing is written. */
  readonly write?: string;
  /** Form of the result files. Default `tsv`. */
  readonly format?: ResultFormat;
  /** List every pair of an identity class. Default false. */
  readonly expandIdentical?: boolean;
  /** The command line ends with exit code 3 when a pair was accepted. Default false. */
  readonly failOnDuplicates?: boolean;
  /** The command line prints JSON. Default false. */
  readonly json?: boolean;
  /** The command line prints neither progress nor summary. Default false. */
  readonly quiet?: boolean;
  /** The command line prints more. Default false. */
  readonly verbose?: boolean;

  /** Row chunks of the characteristic matrix, 1..65536. Default `auto`. */
  readonly shards?: number | 'auto';
  /** Worker threads, 0..256; 0 works in the calling thread. Default: the cores available. */
  readonly threads?: number;
  /**
   * Seconds, or a duration such as `10m`: a worker in which nothing moves for so long counts as hung; 0: never. Default
   * `10m`.
   */
  readonly taskTimeout?: number | string;
  /**
   * Seconds, or a duration: finished work goes to disk, for `resume`, once the run has lasted so long; 0: at once. Default
   * `20s`.
   */
  readonly checkpointAfter?: number | string;
  /**
   * Bytes, or a size such as `256MB`: what the run may hold in memory beside the program itself; beyond it, blocks go to
   * disk under `.work` in the output folder. Default: half of the memory of the machine.
   */
  readonly memory?: number | string;
  /**
   * Address of the server that `s3://` is read from, in place of AWS; it becomes AWS_ENDPOINT_URL_S3 of the process. Default:
   * what that says, or AWS_ENDPOINT_URL.
   */
  readonly s3Endpoint?: string;
  /** The command line prints the plan and runs nothing. Default false. */
  readonly dryRun?: boolean;

  /** Where tasks run: worker threads, or jobs of Hadoop Streaming or Spark SQL. Default `threads`. */
  readonly engine?: EngineName;
  /** Folder that all machines of the engine can read and write, for what jobs hand to each other. Default: `.work` in `out`. */
  readonly clusterWork?: string;
  /** The command of Hadoop. Default `hadoop`. */
  readonly hadoopCommand?: string;
  /** Properties of every Hadoop job, as texts `KEY=VALUE`. Default none. */
  readonly hadoopConf?: string | readonly string[];
  /** Send this Node program along. Default false. */
  readonly shipNode?: boolean;
  /** The command of spark-sql. Default `spark-sql`. */
  readonly sparkCommand?: string;
  /** Where Spark works, such as `local[2,4]` or `yarn`. Default: that of its settings. */
  readonly sparkMaster?: string;
  /** Settings of Spark, as texts `KEY=VALUE`. Default none. */
  readonly sparkConf?: string | readonly string[];
}
