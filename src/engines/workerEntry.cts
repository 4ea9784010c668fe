/**
 * The file that the pool starts. It is CommonJS because the pool calls `require`, and ending a thread while Node links a required ES
 * module crashes the process (v8::Module::IsGraphAsync, seen on Node 20).
 */
module.exports = import('./worker.js').then((worker) => worker.default);
