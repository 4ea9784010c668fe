/** A module of tasks that cannot be loaded. */
throw new Error('this module does not load');
