import type { Document } from '@drover/formats';
import { Refused, readCommands } from '../../../engine/allocation/commands.ts';
import type { Decision } from '../../../engine/allocation/decision.ts';
import type { MasterServices } from '../../../engine/coordination/master-services.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import type { ClusterState } from '../../../engine/state/cluster-state.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { stateBody } from './cluster-state.ts';

export const rerouteRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.reroute',
    action: 'cluster:admin/reroute',
    run: reroute,
  },
];

async function reroute(call: Call): Promise<Reply> {
  const body = call.object();
  const unknown = Object.keys(body).find((key) => key !== 'commands' && key !== 'dry_run');
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'x_content_parse_exception',
      reason: `[1:2] [cluster_reroute] unknown field [${unknown}]`,
    });
  const commands = readCommands(body.commands);
  const metrics = call.list('metric');
  const services = await call.master();
  const explaining = call.flag('explain') || call.flag('dry_run');
  const { state, explanations } = carryOut(call, services, commands, explaining);
  if (!call.flag('dry_run') && body.dry_run !== true) services.core.update(() => state);
  if (call.major === 8 && metrics.join() !== 'none')
    call.warnings.push(
      'The [state] field in the response to the reroute API is deprecated and will be removed in a future version. Specify ?metric=none to adopt the future behaviour.',
    );
  const shown = call.flag('dry_run') ? state : services.core.state;
  const wanted = metrics.length === 0 ? defaultMetrics(call) : metrics;
  return {
    body: {
      acknowledged: true,
      ...(metrics.length === 1 && metrics[0] === 'none'
        ? {}
        : {
            state: { cluster_uuid: state.clusterUUID, ...stateBody(call, shown, [...shown.indices.values()], wanted) },
          }),
      ...(call.flag('explain') ? { explanations } : {}),
    },
  };
}

/** Without `metric` everything but the metadata is shown; from 9.0 on nothing. */
const defaultMetrics = (call: Call) =>
  call.major >= 9 ? [] : ['version', 'master_node', 'blocks', 'nodes', 'routing_table', 'routing_nodes'];

function carryOut(
  call: Call,
  services: MasterServices,
  commands: ReturnType<typeof readCommands>,
  explaining: boolean,
): { state: ClusterState; explanations: Document[] } {
  const { core, allocation } = services;
  const base = call.flag('retry_failed') ? retried(core.state) : core.state;
  const routing = allocation.routing(base);
  const context = allocation.context(base, routing, { ignoreDisable: true });
  const explanations = commands.map((command) => ({
    command: command.name,
    parameters: command.parameters,
    decisions: decisionsOf(() => command.run(context, services.findCopies, explaining), call.flag('explain')).map(
      ({ decider, verdict, explanation }) => ({ decider, decision: verdict, explanation }),
    ),
  }));
  const changed = routing.build();
  return { state: call.flag('dry_run') ? allocation.preview(changed) : allocation.reroute(changed), explanations };
}

function decisionsOf(run: () => readonly Decision[], explaining: boolean): readonly Decision[] {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (explaining) return error.decisions;
    throw illegalArgument(error.message);
  }
}

/** Forgets failed attempts, so that `max_retry` lets the shards be tried again. */
function retried(state: ClusterState): ClusterState {
  const routing = new Map(
    [...state.routing].map(([name, shards]) => [
      name,
      shards.map((copies) =>
        copies.map((copy) =>
          copy.unassignedInfo === undefined || copy.unassignedInfo.failedAllocations === 0
            ? copy
            : { ...copy, unassignedInfo: { ...copy.unassignedInfo, failedAllocations: 0, failedNodes: [] } },
        ),
      ),
    ]),
  );
  return { ...state, routing };
}
