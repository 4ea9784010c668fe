/**
 * The file that the pool starts. It is CommonJS because the pool requires what it starts, and a thread that is ended
 * while Node links a required ES module takes the whole process with it (v8::Module::IsGraphAsync, seen on Node 20).
 */
module.exports = import('./worker.js').then((worker) => worker.default);
