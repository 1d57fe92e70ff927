import type { SearchClient } from '@drover/adapters/search/client';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { keyValues } from '../render/table.ts';
import type { CommandInput } from '../tree/types.ts';
import { printRendered } from './pass-through.ts';

const path = '/_cluster/health';
type Colour = 'green' | 'yellow' | 'red';
type Health = Readonly<Record<string, unknown>> & { readonly status: Colour };

export async function run(context: Context, { options }: CommandInput): Promise<number> {
  const client = context.search({ monitoring: true });
  const waitFor = options['wait-for'] as Colour | undefined;
  const failUnless = options['fail-unless'] as Colour | undefined;
  const reached = waitFor === undefined || (await wait(context, client, waitFor));
  const status = await print(context, client, failUnless !== undefined);
  if (!reached) {
    context.log.error(`the cluster did not get ${waitFor} in time`);
    return exitCodes.timedOut;
  }
  if (failUnless === undefined || isAtLeast(status!, failUnless)) return exitCodes.done;
  context.log.error(`refused (not-${failUnless}): the cluster is ${status}`);
  return exitCodes.refused;
}

/** Prints the health; answers its colour when it is known or needed. */
async function print(context: Context, client: SearchClient, needColour: boolean): Promise<Colour | undefined> {
  const colour =
    needColour || context.format === 'text' ? await client.json<Health>({ method: 'GET', path }) : undefined;
  if (context.format === 'text') await context.io.stdout.write(keyValues(colour!));
  else await printRendered(context, client, path);
  return colour?.status;
}

async function wait(context: Context, client: SearchClient, wanted: Colour): Promise<boolean> {
  const { waitForColour } = await import('./wait-for-colour.ts');
  return await waitForColour(context, client, wanted);
}

const isAtLeast = (colour: Colour, wanted: Colour) => colour === 'green' || colour === wanted;
