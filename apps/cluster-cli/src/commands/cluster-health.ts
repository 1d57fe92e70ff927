import { loadOnce } from '@drover/core/load-once';
import { isAtLeast } from '@drover/search-cluster/start-up';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit.ts';
import { keyValues } from '../render/table.ts';
import type { CommandInput } from '../tree/tree.ts';
import { printRendered } from './pass-through.ts';

const path = '/_cluster/health';

/** Loaded when the command waits. */
export const waitModule = loadOnce(() => import('./wait-for-colour.ts'));

type Wanted = 'green' | 'yellow' | undefined;

/** Prints the health, after waiting for a colour if asked to. */
export async function clusterHealth(context: Context, { options }: CommandInput<'cluster-health'>): Promise<number> {
  const wanted = options.waitFor;
  const reached = wanted === undefined || (await (await waitModule()).waitForColour(context, wanted));
  const code = await printHealth(context, options.failUnless);
  if (reached) return code;
  context.log.error(`the cluster did not get ${wanted} in time`);
  return exitCodes.timedOut;
}

const colours: Readonly<Record<string, number>> = { green: 32, yellow: 33, red: 31 };

/** The status in its own colour, on a terminal and unless NO_COLOR is set. */
const coloured = ({ stdout, env: { NO_COLOR = '' } }: Context['io'], text: string): string =>
  stdout.isTTY && NO_COLOR === ''
    ? text.replace(/^(status +)(\w+)/m, (_, label: string, status: string) => {
        const code = colours[status] ?? 0;
        return `${label}\u001b[${code}m${status}\u001b[0m`;
      })
    : text;

type Health = Readonly<Record<string, unknown>> & { readonly status: 'green' | 'yellow' | 'red' };

/** Prints the health in the wanted format; refuses when it is worse than `failUnless`. */
async function printHealth(context: Context, failUnless: Wanted): Promise<number> {
  const client = context.search({ monitoring: true });
  const { format, io } = context;
  const health =
    failUnless !== undefined || format === 'text' ? await client.json<Health>({ method: 'GET', path }) : undefined;
  if (format === 'text') await io.stdout.write(coloured(io, keyValues(health!)));
  else await printRendered(context, client, path);
  if (failUnless === undefined || isAtLeast(health!.status, failUnless)) return exitCodes.done;
  context.log.error(`refused (not-${failUnless}): the cluster is ${health!.status}`);
  return exitCodes.refused;
}
