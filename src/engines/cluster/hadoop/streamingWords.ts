/** The words and the properties of a Hadoop Streaming job. Pure: what is written and started is made of them elsewhere. */
import { MinHashError } from '../../../errors.js';
import type { StreamStage } from '../../../tasks/stream/stage.js';

/** What a job is made of. */
export interface StreamingJob {
  /** What the cluster shows. */
  readonly title: string;
  /** Name of the stage. */
  readonly stage: string;
  readonly form: Pick<StreamStage, 'reads' | 'prefix' | 'reduce'>;
  readonly reducers: number;
  /** Files or folders, as addresses. */
  readonly inputs: readonly string[];
  readonly output: string;
  /** The program that runs task.cjs. */
  readonly node: string;
  /** Files for the task's folder, as addresses, with the names that they get. */
  readonly files: readonly (readonly [uri: string, name: string])[];
  /** The archive with the program of tasks. */
  readonly archive: string;
  /** Of the user. */
  readonly conf: Readonly<Record<string, string>>;
}

/** What the archive and the manifest are called in a task's folder. */
const PROGRAM = 'mrm';
export const MANIFEST = 'manifest.json';

/** What the user may say otherwise. */
const USUAL = {
  'mapreduce.fileoutputcommitter.algorithm.version': '1',
  // Slots and hashes do not shrink.
  'mapreduce.map.output.compress': 'false',
  // A machine without a locale would give us names of files with question marks.
  'mapreduce.map.env.LC_ALL': 'C.UTF-8',
};

/** What makes bytes arrive as they are. */
const FRAMING = {
  'stream.map.output': 'rawbytes',
  'stream.reduce.input': 'rawbytes',
  'stream.reduce.output': 'rawbytes',
  'mapreduce.output.fileoutputformat.compress': 'false',
  // All properties become variables of the task's process, which Linux bounds.
  'stream.jobconf.truncate.limit': '16384',
};

/** The properties, those that must not be otherwise last. */
export function propertiesOf(job: StreamingJob): Readonly<Record<string, string>> {
  const { form, reducers, inputs } = job;
  const isCorpus = form.reads === 'corpus';
  return {
    ...USUAL,
    ...job.conf,
    ...FRAMING,
    'mapreduce.job.name': job.title,
    'mapreduce.job.reduces': String(form.reduce === null ? 0 : reducers),
    'stream.map.input': isCorpus ? 'text' : 'rawbytes',
    // LF alone: a lone CR would end a line as well.
    ...(isCorpus && { 'textinputformat.record.delimiter': '\n' }),
    ...(form.reduce !== null && {
      'mapreduce.partition.binarypartitioner.left.offset': '0',
      'mapreduce.partition.binarypartitioner.right.offset': String(form.prefix - 1),
    }),
    // All but the first, which the command has to name.
    ...(inputs.length > 1 && {
      'mapreduce.input.fileinputformat.inputdir': inputs
        .slice(1)
        .map((uri) => patternOf(uri).replace(/[\\,]/g, '\\$&'))
        .join(','),
    }),
  };
}

/** A pattern that one name alone matches. @throws MinHashError ENGINE_UNUSABLE for a name that Hadoop passes over */
function patternOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  if (/^[_.]/.test(name)) {
    const detail = `${uri}: Hadoop passes over files whose names begin with _ or ., expected another name`;
    throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
  }
  return uri.replace(/[\\{}[\]*?]/g, '\\$&');
}

/** The words behind those that run the streaming jar. `confFile`: where the properties stand. */
export function streamingWords(job: StreamingJob, confFile: string): readonly string[] {
  const { form, inputs } = job;
  const command = (side: string): string =>
    `${job.node} ${PROGRAM}/task.cjs ${job.stage} ${side} --io rawbytes --manifest ${MANIFEST}`;
  const shipped = job.files.map(([uri, name]) => `${uri}#${name}`).join(',');
  return [
    ...['-conf', confFile, '-files', shipped, '-archives', `${job.archive}#${PROGRAM}`],
    // Braces keep a comma from being the end of the name.
    ...['-input', patternOf(inputs[0]!).replaceAll(',', '{\\,}'), '-output', job.output],
    ...(form.reads === 'corpus' ? [] : ['-inputformat', 'org.apache.hadoop.mapred.SequenceFileInputFormat']),
    ...['-outputformat', 'org.apache.hadoop.mapred.SequenceFileOutputFormat'],
    ...(form.reduce === null ? [] : ['-partitioner', 'org.apache.hadoop.mapred.lib.BinaryPartitioner']),
    ...['-mapper', command('map'), '-reducer', form.reduce === null ? 'NONE' : command('reduce')],
  ];
}

/** The program that runs tasks: `shipped` is in the archive. */
export const nodeProgram = (shipped: boolean): string => (shipped ? `${PROGRAM}/node` : 'node');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A file of properties. @throws MinHashError ENGINE_UNUSABLE where a value has a character that XML has not */
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
