import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { keyValues } from '../render/table.ts';
import { printRendered } from './pass-through.ts';

type Colour = 'green' | 'yellow' | 'red';
type Health = Readonly<Record<string, unknown>> & { readonly status: Colour };
const path = '/_cluster/health';

/** Prints the health in the wanted format; refuses when it is not as good as asked for. */
export async function printHealth(context: Context, failUnless: 'green' | 'yellow' | undefined): Promise<number> {
  const client = context.search({ monitoring: true });
  const { format, io } = context;
  const health =
    failUnless !== undefined || format === 'text' ? await client.json<Health>({ method: 'GET', path }) : undefined;
  if (format === 'text') await io.stdout.write(keyValues(health!));
  else await printRendered(context, client, path);
  if (failUnless === undefined || health!.status === 'green' || health!.status === failUnless) return exitCodes.done;
  context.log.error(`refused (not-${failUnless}): the cluster is ${health!.status}`);
  return exitCodes.refused;
}
