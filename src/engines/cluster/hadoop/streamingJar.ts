/** Finds the jar of Hadoop Streaming: distributions put it in different places. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MinHashError } from '../../../errors.js';
import { programFile } from '../command.js';

const JAR = /^hadoop-streaming(-\d[\w.-]*)?\.jar$/;
/** Its folder in a distribution, from the root. */
const TOOLS = 'share/hadoop/tools/lib';
const PACKAGED = [
  '/usr/lib/hadoop-mapreduce',
  '/usr/lib/hadoop/tools/lib',
  '/usr/hdp/current/hadoop-mapreduce-client',
];

/** The environment variables that are read here. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param program the first word of Hadoop's command
 * @throws MinHashError ENGINE_UNUSABLE with the places that were searched
 */
export function findStreamingJar(program: string, env: Environment): string {
  const named = env.HADOOP_STREAMING_JAR ?? '';
  if (named !== '') {
    if (existsSync(named)) return named;
    throw unusable(`HADOOP_STREAMING_JAR is ${named}: there is no such file`);
  }
  const places = placesOf(program, env);
  for (const place of places) {
    const found = jarIn(place);
    if (found !== null) return found;
  }
  throw unusable(
    `there is no hadoop-streaming*.jar in ${places.join(', ')}: expected it there, or its path in HADOOP_STREAMING_JAR`,
  );
}

const unusable = (detail: string): MinHashError => new MinHashError({ code: 'ENGINE_UNUSABLE', detail });

function placesOf(program: string, env: Environment): readonly string[] {
  const homes = [env.HADOOP_HOME, env.HADOOP_MAPRED_HOME].filter((home) => home !== undefined && home !== '');
  const file = programFile(program, env.PATH ?? '');
  const folder = file === null ? null : dirname(realpathSync(file));
  const beside = folder === null ? [] : [folder, join(folder, '..', TOOLS)];
  return [...new Set([...homes.flatMap((home) => [join(home!, TOOLS), home!]), ...beside, ...PACKAGED])];
}

function jarIn(folder: string): string | null {
  try {
    const names = readdirSync(folder).filter((name) => JAR.test(name) && !/sources|tests/.test(name));
    // The newest by name; but a link without a version names the jar in use.
    const name = names.find((one) => one === 'hadoop-streaming.jar') ?? names.sort().at(-1);
    return name === undefined ? null : join(folder, name);
  } catch {
    return null;
  }
}
