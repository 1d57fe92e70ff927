import { TerminalError } from '@drover/core';
import type { OpenWhatIf } from '@drover/observation/http/what-if-routes';
import type { DroverIo } from '@drover/operator/io';
import type { LocalOptions } from './local/options.ts';
import { printExample } from './synth/example-files.ts';
import type { SynthOptions } from './synth/synth.ts';
import type { WhatIfOptions } from './what-if/options.ts';

export type { LocalOptions } from './local/options.ts';
export type { SynthOptions } from './synth/synth.ts';
export type { WhatIfOptions } from './what-if/options.ts';

/** `drover local` */
export async function runLocal(io: DroverIo, options: LocalOptions): Promise<number> {
  if (options.printExample !== undefined) return printExample(io, options.printExample);
  await (await import('./synth/own-files.ts')).checkOwnFiles(options);
  return await (await import('./local/local.ts')).runLocal(io, options);
}

/** `drover synth` */
export async function synth(io: DroverIo, file: string | undefined, options: SynthOptions): Promise<number> {
  if (options.printExample !== undefined) return printExample(io, options.printExample);
  if (file === undefined)
    throw new TerminalError('which file?', { remedy: 'drover synth --print-example fleet > fleet.yaml writes one' });
  return await (await import('./synth/synth.ts')).synth(io, file, options);
}

/** `drover what-if` */
export async function whatIf(io: DroverIo, configurations: readonly string[], options: WhatIfOptions): Promise<number> {
  if (options.printExample !== undefined) return printExample(io, options.printExample);
  return await (await import('./what-if/what-if.ts')).whatIf(io, configurations, options);
}

/** Questions of the what-if view on the page of `drover console`. */
export async function whatIfDesk(): Promise<OpenWhatIf> {
  const { WhatIfDesk } = await import('./what-if/desk/desk.ts');
  return (options) => new WhatIfDesk(options);
}
