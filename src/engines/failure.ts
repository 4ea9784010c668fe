/**
 * Converts errors of tasks to data that can be sent between threads, and back to a MinHashError for the coordinator.
 *
 * Independent of where a task ran.
 */
import { MinHashError } from '../errors.js';
import type { Task } from '../tasks/task.js';
import type { Failure, FailureLink } from './protocol.js';

/** Maximum number of causes; a chain of causes may be circular. */
const MOST_LINKS = 8;

/** A task in messages: `stage bands, task "band 3"`. */
export function taskName(task: Task): string {
  return `stage ${task.kind}, task "${task.label}"`;
}

/** A thrown value as plain strings. Never throws. */
export function failureOf(thrown: unknown): Failure {
  const chain: FailureLink[] = [];
  let link = thrown;
  do {
    chain.push(linkOf(link));
    link = link instanceof Error ? link.cause : undefined;
  } while (link !== undefined && chain.length < MOST_LINKS);
  return { problems: thrown instanceof MinHashError ? thrown.problems : null, chain };
}

function linkOf(thrown: unknown): FailureLink {
  try {
    if (!(thrown instanceof Error)) return { name: '', message: String(thrown), stack: '', code: '' };
    const code = 'code' in thrown ? String(thrown.code) : '';
    return { name: thrown.name, message: thrown.message, stack: thrown.stack ?? '', code };
  } catch {
    return { name: '', message: 'a value that has no text', stack: '', code: '' };
  }
}

/** The Errors of a chain, linked by `cause`, with the original codes and stacks. */
export function errorOf(failure: Failure): Error {
  let cause: Error | undefined;
  for (let i = failure.chain.length - 1; i >= 0; i--) {
    const { name, message, stack, code } = failure.chain[i]!;
    const error = cause === undefined ? new Error(message) : new Error(message, { cause });
    if (name !== '') error.name = name;
    if (stack !== '') error.stack = stack;
    if (code !== '') Object.defineProperty(error, 'code', { value: code, enumerable: true });
    cause = error;
  }
  return cause ?? new Error('no error was given');
}

/**
 * The error that the coordinator throws for a failed task: a MinHashError keeps its problems, any other error becomes TASK_FAILED
 * with stage, label and message. `cause`: the thrown value.
 */
export function taskError(task: Task, failure: Failure, cause: unknown = errorOf(failure)): MinHashError {
  if (failure.problems !== null) return new MinHashError(failure.problems, { cause });
  const message = failure.chain[0]!.message;
  return new MinHashError({ code: 'TASK_FAILED', detail: `${taskName(task)}: ${message}` }, { cause });
}
