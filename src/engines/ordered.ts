/**
 * Runs many tasks: pulls tasks when there is capacity, and yields results in the order of the tasks.
 *
 * Independent of threads and of the store.
 */

/** A pulled task. */
interface Slot<R> {
  readonly settled: Promise<void>;
  state: 'running' | 'done' | 'failed';
  result: R | null;
  error: unknown;
}

/**
 * Runs every task and yields the results in task order. At most `limit` tasks are pulled and not yet yielded. After a failure no task
 * is pulled, running tasks are awaited, and the error of the first failed task in task order is thrown after the results before it, so
 * the error does not depend on timing. An error of the iterator counts as an error of the next task. A consumer that stops early also
 * waits for the running tasks.
 */
export async function* runInOrder<T, R>(
  run: (task: T) => Promise<R>,
  limit: number,
  tasks: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<R, void, undefined> {
  const iterator = Symbol.asyncIterator in tasks ? tasks[Symbol.asyncIterator]() : tasks[Symbol.iterator]();
  const slots: Slot<R>[] = [];
  let exhausted = false;
  let failed = false;
  let pull: Promise<void> | null = null;

  function fill(outcome: Promise<R>): void {
    const slot: Slot<R> = {
      state: 'running',
      result: null,
      error: undefined,
      settled: outcome.then(
        (result) => {
          slot.state = 'done';
          slot.result = result;
        },
        (error) => {
          slot.state = 'failed';
          slot.error = error;
          failed = true;
        },
      ),
    };
    slots.push(slot);
  }

  async function pullOne(): Promise<void> {
    try {
      const next = await iterator.next();
      // A task that is pulled while another one fails is not started.
      if (next.done === true) exhausted = true;
      else if (!failed) fill(run(next.value));
    } catch (error) {
      exhausted = true;
      fill(Promise.reject(error));
    }
  }

  try {
    while (true) {
      if (pull === null && !exhausted && !failed && slots.length < limit) {
        // Cleared asynchronously even if the iterator throws at once, because `pull` is not assigned yet.
        pull = pullOne().then(() => {
          pull = null;
        });
      }
      const head = slots[0];
      if (head === undefined) {
        if (pull === null) return;
        await pull;
      } else if (head.state === 'done') {
        slots.shift();
        yield head.result!;
      } else if (head.state === 'failed') {
        throw head.error;
      } else {
        await (pull === null ? head.settled : Promise.race([pull, head.settled]));
      }
    }
  } finally {
    if (pull !== null) await pull;
    await Promise.all(slots.map((slot) => slot.settled));
    if (!exhausted) await closeIterator(iterator, failed);
  }
}

/** Ends the source early; an error that it throws must not hide the failure of a task. */
async function closeIterator<T>(iterator: Iterator<T> | AsyncIterator<T>, failed: boolean): Promise<void> {
  try {
    await iterator.return?.();
  } catch (error) {
    if (!failed) throw error;
  }
}
