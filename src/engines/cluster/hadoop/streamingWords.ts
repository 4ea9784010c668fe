/** The command and the properties of a Hadoop Streaming job. Pure: other modules write the files and start the job. */
import { MinHashError } from '../../../errors.js';
import type { StreamStage } from '../../../tasks/stream/stage.js';
import { escapedPattern } from '../clusterFiles.js';

/** The description of a job. */
export interface StreamingJob {
  /** The title that the cluster shows. */
  readonly title: string;
  /** Name of the stage. */
  readonly stage: string;
  readonly form: Pick<StreamStage, 'kinds' | 'prefix' | 'reduce'>;
  readonly reducers: number;
  /** Files or folders, as addresses. */
  readonly inputs: readonly string[];
  readonly output: string;
  /** The program that runs task.cjs. */
  readonly node: string;
  /** Addresses of files for the task's folder, with their names there. */
  readonly files: readonly (readonly [uri: string, name: string])[];
  /** The archive with the program of tasks. */
  readonly archive: string;
  /** The user's properties. */
  readonly conf: Readonly<Record<string, string>>;
}

/** Names of the archive and of the manifest in a task's folder. */
const PROGRAM = 'mrm';
export const MANIFEST = 'manifest.json';

/** Properties that the user may change. */
const USUAL = {
  'mapreduce.fileoutputcommitter.algorithm.version': '1',
  // Slots and hashes do not compress.
  'mapreduce.map.output.compress': 'false',
  // Without a locale, a machine would give names of files with question marks.
  'mapreduce.map.env.LC_ALL': 'C.UTF-8',
};

/** Properties that keep bytes unchanged. */
const FRAMING = {
  'stream.map.output': 'rawbytes',
  'stream.reduce.input': 'rawbytes',
  'stream.reduce.output': 'rawbytes',
  'mapreduce.output.fileoutputformat.compress': 'false',
  // All properties become variables of the task's process, and Linux bounds their size.
  'stream.jobconf.truncate.limit': '16384',
};

/** The properties of a job; those that must not change stand last. */
export function propertiesOf(job: StreamingJob): Readonly<Record<string, string>> {
  const { form, reducers, inputs } = job;
  const isCorpus = form.kinds === null;
  return {
    ...USUAL,
    ...job.conf,
    ...FRAMING,
    'mapreduce.job.name': job.title,
    'mapreduce.job.reduces': String(form.reduce === null ? 0 : reducers),
    'stream.map.input': isCorpus ? 'text' : 'rawbytes',
    // LF alone: by default a lone CR ends a line, too.
    ...(isCorpus && { 'textinputformat.record.delimiter': '\n' }),
    ...(form.reduce !== null && {
      'mapreduce.partition.binarypartitioner.left.offset': '0',
      'mapreduce.partition.binarypartitioner.right.offset': String(form.prefix - 1),
    }),
    // All inputs but the first, which the command must name.
    ...(inputs.length > 1 && {
      'mapreduce.input.fileinputformat.inputdir': inputs
        .slice(1)
        .map((uri) => patternOf(uri).replace(/[\\,]/g, '\\$&'))
        .join(','),
    }),
  };
}

/** A pattern that matches only this name. @throws MinHashError ENGINE_UNUSABLE for a name that Hadoop passes over */
function patternOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  if (/^[_.]/.test(name)) {
    const detail = `${uri}: Hadoop passes over files whose names begin with _ or ., expected another name`;
    throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
  }
  return escapedPattern(uri);
}

/** The words after those that run the streaming jar. `confFile`: the file of the properties. */
export function streamingWords(job: StreamingJob, confFile: string): readonly string[] {
  const { form, inputs } = job;
  const command = (side: string): string =>
    `${job.node} ${PROGRAM}/task.cjs ${job.stage} ${side} --io rawbytes --manifest ${MANIFEST}`;
  const shipped = job.files.map(([uri, name]) => `${uri}#${name}`).join(',');
  return [
    ...['-conf', confFile, '-files', shipped, '-archives', `${job.archive}#${PROGRAM}`],
    // In braces, a comma does not end the name.
    ...['-input', patternOf(inputs[0]!).replaceAll(',', '{\\,}'), '-output', job.output],
    ...(form.kinds === null ? [] : ['-inputformat', 'org.apache.hadoop.mapred.SequenceFileInputFormat']),
    ...['-outputformat', 'org.apache.hadoop.mapred.SequenceFileOutputFormat'],
    ...(form.reduce === null ? [] : ['-partitioner', 'org.apache.hadoop.mapred.lib.BinaryPartitioner']),
    ...['-mapper', command('map'), '-reducer', form.reduce === null ? 'NONE' : command('reduce')],
  ];
}

/** The program that runs tasks; where it is `shipped`, it is in the archive. */
export const nodeProgram = (shipped: boolean): string => (shipped ? `${PROGRAM}/node` : 'node');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A file of properties. @throws MinHashError ENGINE_UNUSABLE where a value has a character that XML cannot hold */
export function propertiesXml(properties: Readonly<Record<string, string>>): string {
  const escaped = (text: string): string => {
    if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)) {
      const detail = `${JSON.stringify(text)}: expected no control characters in what Hadoop is told`;
      throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
    }
    return text
      .replace(/[&<>]/g, (one) => ENTITIES[one]!)
      .replace(/[\r\n\t]/g, (one) => `&#${one.charCodeAt(0)};`);
  };
  const rows = Object.entries(properties).map(
    ([name, value]) =>
      `  <property><name>${escaped(name)}</name><value>${escaped(value)}</value></property>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n${rows.join('')}</configuration>\n`;
}
