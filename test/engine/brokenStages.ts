/** A module of stages that cannot be loaded. */
throw new Error('this module does not load');
