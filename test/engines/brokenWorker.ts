/** A worker file that cannot be loaded. */
throw new Error('this worker file does not load');
