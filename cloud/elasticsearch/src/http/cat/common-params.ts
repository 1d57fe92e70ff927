import type { Call } from '../call.ts';

/** Parameters that every cat API takes ("Compact and aligned text (CAT) APIs: common parameters"). */
export const catParams = ['v', 'help', 'h', 's', 'bytes', 'time', 'size', 'ts', 'local', 'master_timeout'] as const;

/** Nothing needs to be gathered when only the help is asked for. */
export const wantsHelp = (call: Call) => call.flag('help');
