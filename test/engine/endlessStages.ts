/** A module of stages that never ends loading. */
await new Promise(() => {
  // A timer keeps the thread alive.
  setInterval(() => {}, 1000);
});
