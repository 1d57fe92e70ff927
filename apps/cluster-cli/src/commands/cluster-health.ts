import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandInput } from '../tree/types.ts';
import { printHealth } from './print-health.ts';
import { waitForColour } from './wait-for-colour.ts';

export async function run(context: Context, { options }: CommandInput): Promise<number> {
  const wanted = options['wait-for'] as 'green' | 'yellow' | undefined;
  const reached = wanted === undefined || (await waitForColour(context, context.search({ monitoring: true }), wanted));
  const code = await printHealth(context, options['fail-unless'] as 'green' | 'yellow' | undefined);
  if (reached) return code;
  context.log.error(`the cluster did not get ${wanted} in time`);
  return exitCodes.timedOut;
}
