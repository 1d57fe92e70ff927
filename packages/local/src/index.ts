import type { OpenWhatIf } from '@drover/observation/http/what-if-routes';
import type { DroverIo } from '@drover/operator/io';
import type { LocalOptions } from './local/options.ts';
import type { SynthOptions } from './synth/synth.ts';
import type { WhatIfOptions } from './what-if/options.ts';

export type { LocalOptions } from './local/options.ts';
export type { SynthOptions } from './synth/synth.ts';
export type { WhatIfOptions } from './what-if/options.ts';

/** `drover local` */
export async function runLocal(io: DroverIo, options: LocalOptions): Promise<number> {
  await (await import('./synth/own-files.ts')).checkOwnFiles(options);
  return await (await import('./local/local.ts')).runLocal(io, options);
}

/** `drover synth` */
export const synth = async (io: DroverIo, file: string, options: SynthOptions): Promise<number> =>
  (await import('./synth/synth.ts')).synth(io, file, options);

/** `drover what-if` */
export const whatIf = async (
  io: DroverIo,
  configurations: readonly string[],
  options: WhatIfOptions,
): Promise<number> => (await import('./what-if/what-if.ts')).whatIf(io, configurations, options);

/** Questions of the what-if view on the page of `drover console`. */
export async function whatIfDesk(): Promise<OpenWhatIf> {
  const { WhatIfDesk } = await import('./what-if/desk/desk.ts');
  return (options) => new WhatIfDesk(options);
}
