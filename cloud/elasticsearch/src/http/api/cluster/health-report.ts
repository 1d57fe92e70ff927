import type { Document } from '@drover/formats';
import { type Indicator, indicators, withoutMaster } from '../../../engine/coordination/health-report.ts';
import { resourceNotFound, validationFailed } from '../../../engine/errors.ts';
import { isMasterEligible, nodeLabel } from '../../../engine/state/node-info.ts';
import type { Call } from '../../call.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const healthReportRoutes: readonly Endpoint[] = [
  {
    api: 'health_report',
    action: 'cluster:monitor/health_api',
    run: report,
  },
];

function report(call: Call): Reply {
  const name = call.text('feature');
  if ((call.integer('size') ?? 0) < 0) throw validationFailed(['The size parameter must be a positive integer']);
  if (name !== undefined && indicators[name] === undefined) throw resourceNotFound(`Did not find indicator ${name}`);
  call.permit();
  const found = gather(call);
  const chosen = name === undefined ? found : { [name]: found[name]! };
  const verbose = call.flag('verbose', true);
  const bodies = Object.fromEntries(
    Object.entries(chosen).map(([key, indicator]) => [key, indicatorBody(indicator, verbose)]),
  );
  const status =
    (['red', 'yellow', 'unknown'] as const).find((colour) =>
      Object.values(chosen).some((indicator) => indicator.status === colour),
    ) ?? 'green';
  return {
    body: { ...(name === undefined ? { status } : {}), cluster_name: call.cluster.clusterName, indicators: bodies },
  };
}

/** A node without a master reports only that. */
function gather(call: Call): Record<string, Indicator> {
  const services = call.cluster.servicesOf(call.node);
  if (services !== undefined && call.node.attached && services.core.leader !== undefined)
    return Object.fromEntries(Object.entries(indicators).map(([key, look]) => [key, look(services)]));
  const unknown: Indicator = {
    status: 'unknown',
    symptom:
      'Could not determine health status. Check details on critical issues preventing the health status from reporting.',
    details: { reasons: { master_is_stable: 'red' } },
  };
  const state = call.localState();
  const voters = state.votingConfig;
  const seen = [...call.cluster.nodes]
    .filter((node) => isMasterEligible(node) && call.node.canReach(node))
    .map((node) => nodeLabel(node.discovery()));
  const message = `master not discovered or elected yet, an election requires at least ${Math.floor(voters.length / 2) + 1} nodes with ids from [${voters.join(', ')}], have only discovered non-quorum [${seen.join(', ')}]`;
  const last = call.node.stale?.state.nodes.get(call.node.stale.state.masterId ?? '');
  return Object.fromEntries(
    Object.keys(indicators).map((key) => [
      key,
      key === 'master_is_stable' ? withoutMaster(message, call.node, last) : unknown,
    ]),
  );
}

function indicatorBody(indicator: Indicator, verbose: boolean): Document {
  const { status, symptom, details, impacts, diagnosis } = indicator;
  return {
    status,
    symptom,
    ...(verbose && details !== undefined ? { details } : {}),
    ...(impacts === undefined ? {} : { impacts }),
    ...(verbose && diagnosis !== undefined ? { diagnosis } : {}),
  };
}
