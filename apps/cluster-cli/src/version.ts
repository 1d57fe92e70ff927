import pkg from '../package.json' with { type: 'json' };

/** Version of the module, as in its tag. */
export const version: string = pkg.version;
