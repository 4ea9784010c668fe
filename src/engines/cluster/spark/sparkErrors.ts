/** The lines of Spark's log that explain why statements failed: those of our tasks first, then those of Spark. */

const MOST_LINES = 6;
const LONGEST = 500;

/** Lines that tasks print; Spark adds words before the first. */
const OF_TASKS = /(?:^|: )((?:error|hint): .+)$|^([A-Z]\w*Error: .+|Error: .+|bash: .+)$/;
const OF_SPARK =
  /^\[[A-Z][A-Z_.]+\]|Subprocess exited|Exception\b|^Error\b|\bERROR\b|[Cc]annot run program|No such file|not found|OutOfMemory/;
/** Lines of every failure, or of no particular one. */
const EMPTY =
  /^\s+at |^\s*\.\.\. \d+ more|Exception in task|Lost task|Uncaught exception|Stream closed|Broken pipe|[Aa]bort(ing|ed)|WARN |ScriptTransformation\w+:|^Time taken:/;

export function usefulLines(lines: readonly string[]): readonly string[] {
  const ofTasks = lines.flatMap((line) => {
    const found = OF_TASKS.exec(line);
    return found === null ? [] : [found[1] ?? found[2]!];
  });
  const ofSpark = lines
    .filter((line) => OF_SPARK.test(line) && !EMPTY.test(line) && !OF_TASKS.test(line))
    .map((line) => line.replace(/^\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d /, ''));
  const found = [...distinct(ofTasks), ...distinct(ofSpark)];
  const last =
    found.length > 0
      ? found
      : lines.filter((line) => line.trim() !== '' && !EMPTY.test(line)).slice(-MOST_LINES);
  return last
    .slice(0, MOST_LINES)
    .map((line) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line));
}

/** The last MOST_LINES lines, each once. */
function distinct(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.map((line) => line.trim()))].slice(-MOST_LINES);
}
