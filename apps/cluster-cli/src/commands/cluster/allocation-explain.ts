import { SearchError } from '@drover/adapters/search/errors';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { explanationText } from '../../render/explanation.ts';
import { printData } from '../../render/output.ts';
import { UsageError } from '../../report-failure.ts';
import type { CommandInput, OptionValues } from '../../tree/types.ts';
import { printRendered } from '../pass-through.ts';

export async function run(context: Context, { options }: CommandInput): Promise<number> {
  const body = requestOf(options);
  const client = context.search();
  const path = '/_cluster/allocation/explain';
  try {
    if (context.format === 'text' || body !== undefined) {
      const explanation = await client.json<Record<string, unknown>>({
        method: 'GET',
        path,
        ...(body === undefined ? {} : { body }),
      });
      await printData(explanation, () => explanationText(explanation), context.format, context.io);
    } else await printRendered(context, client, path);
    return exitCodes.done;
  } catch (error) {
    if (body !== undefined || !isNothingUnassigned(error)) throw error;
    await printData(
      { unassigned_shards: 0 },
      () => 'no shard is unassigned: there is nothing to explain\n',
      context.format,
      context.io,
    );
    return exitCodes.done;
  }
}

/** Elasticsearch wants all three or none. */
function requestOf(options: OptionValues): string | undefined {
  const { index, shard } = options;
  const named = options.primary === true || options.replica === true;
  if (index === undefined && shard === undefined && !named) return undefined;
  if (index === undefined || shard === undefined || !named)
    throw new UsageError(
      'name one shard by --index, --shard and --primary or --replica together, or give none of them',
    );
  return JSON.stringify({ index, shard, primary: options.primary === true });
}

/** "No shard was specified … there are no unassigned shards in this cluster" comes as 400. */
const isNothingUnassigned = (error: unknown) =>
  error instanceof SearchError && error.status === 400 && /unassigned shards?/.test(error.message);
