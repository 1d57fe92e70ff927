import { SearchError } from '@drover/adapters/elasticsearch/client';
import type { Context } from '../../context.ts';
import { exitCodes, UsageError } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { printRendered } from '../pass-through.ts';

type Input = CommandInput<'cluster allocation-explain'>;

/** Explains why a shard is where it is, or unassigned. */
export async function allocationExplain(context: Context, { options }: Input): Promise<number> {
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
      await context.print(explanation, () => explanationText(explanation));
    } else await printRendered(context, client, path);
    return exitCodes.done;
  } catch (error) {
    if (body !== undefined || !isNothingUnassigned(error)) throw error;
    await context.print({ unassigned_shards: 0 }, () => 'no shard is unassigned: there is nothing to explain\n');
    return exitCodes.done;
  }
}

/** Elasticsearch wants all three or none. */
function requestOf(options: Input['options']): string | undefined {
  const { index, shard, primary, replica } = options;
  const named = primary || replica;
  if (index === undefined && shard === undefined && !named) return undefined;
  if (index === undefined || shard === undefined || !named)
    throw new UsageError(
      'name one shard by --index, --shard and --primary or --replica together, or give none of them',
    );
  return JSON.stringify({ index, shard, primary });
}

/** "No shard was specified … there are no unassigned shards in this cluster" comes as 400. */
const isNothingUnassigned = (error: unknown) =>
  error instanceof SearchError && error.status === 400 && /unassigned shards?/.test(error.message);

type Doc = Readonly<Record<string, unknown>>;

/** An allocation explanation for people: where the shard is, what holds it, the decision of each node. */
function explanationText(explanation: Doc): string {
  const { index, shard, primary, current_state, current_node, unassigned_info } = explanation;
  const lines = [
    `shard [${String(shard)}] [${primary === true ? 'primary' : 'replica'}] of index [${String(index)}] is ${String(current_state)}`,
  ];
  if (current_node !== undefined) lines[0] += ` on ${String((current_node as Doc).name)}`;
  const info = unassigned_info as Doc | undefined;
  if (info !== undefined)
    lines.push(
      `  since ${String(info.at)}: ${String(info.reason)}${info.details === undefined ? '' : `, ${String(info.details)}`}`,
    );
  for (const key of ['allocate_explanation', 'move_explanation', 'rebalance_explanation', 'can_remain_on_current_node'])
    if (explanation[key] !== undefined) lines.push(`  ${key.replaceAll('_', ' ')}: ${String(explanation[key])}`);
  for (const decision of (explanation.node_allocation_decisions as readonly Doc[] | undefined) ?? [])
    lines.push(...nodeLines(decision));
  return `${lines.join('\n')}\n`;
}

function nodeLines(decision: Doc): readonly string[] {
  const deciders = (decision.deciders as readonly Doc[] | undefined) ?? [];
  return [
    `  node ${String(decision.node_name)}: ${String(decision.node_decision)}`,
    ...deciders.map(
      ({ decider, decision: says, explanation }) => `    ${String(decider)} ${String(says)}: ${String(explanation)}`,
    ),
  ];
}
