/** A module of tasks that never ends loading. */
await new Promise(() => {
  // A timer keeps the thread alive.
  setInterval(() => {}, 1000);
});
