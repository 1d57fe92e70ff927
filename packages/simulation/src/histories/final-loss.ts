import type { Random } from '@drover/core';
import { functionName, functionsOf } from '@drover/core/names/runner-fleet';
import { fleetSurvives } from '@drover/core/survival';
import { type HistoryWorld, names } from './history-world.ts';

/** One loss that the configuration survives: what it is, and how it strikes. Zones and what does not end by itself are healed. */
export interface Loss {
  readonly name: string;
  strike(history: HistoryWorld): () => void;
}

const nothing = () => {};

/** Every single loss that the configuration survives, as the table of survival has it. */
export function survivedLosses(history: HistoryWorld): readonly Loss[] {
  const { world } = history;
  const group = world.observe.group(names.fleet);
  const { size: zones } = new Set(group?.zones ?? []);
  const ofFleet = fleetSurvives({ mode: history.inputs.fleet.scalingMode, zones, functionZones: zones });
  const ofCluster = history.clusterCheckers.ledger.survival();
  const nodes = history.clusterGroups.flatMap((name) => history.nodesIn(name));
  const kill = (ids: readonly string[], what: string): readonly Loss[] =>
    ids.map((id) => ({
      name: `${what} ${id}`,
      strike: () => {
        world.machines.kill(id);
        return nothing;
      },
    }));
  const losable = ofFleet.zones === 'any' && ofCluster.zones === 'any' ? world.aws.zones : [];
  return [
    ...(ofFleet.machine ? kill(history.runners(), 'the runner') : []),
    ...(ofCluster.machine ? kill(nodes, 'the node') : []),
    ...losable.map((zone) => ({ name: `the zone ${zone}`, strike: () => history.loseZone(zone) })),
    ...functionsOf(history.inputs.fleet.scalingMode).map((suffix) => ({
      name: `a run of ${suffix}`,
      strike: () => {
        const operation = functionName(names.fleet, suffix);
        return history.rule({ service: 'lambda', operation, times: 1, effect: { kind: 'error' } });
      },
    })),
    ...(history.inputs.fleet.scalingMode === 'jobs' ? [sessionLoss] : []),
  ];
}

const sessionLoss: Loss = {
  name: 'the session with GitHub',
  strike: (history) =>
    history.rule({
      service: 'platform',
      operation: 'GET /scalesets/message',
      times: 1,
      effect: { kind: 'misbehave', how: 'session-gone' },
    }),
};

/** One of them; machines of the cluster and zones, whose loss takes most, as often as all others. */
export function drawLoss(random: Random, losses: readonly Loss[]): Loss | undefined {
  const grave = losses.filter(({ name }) => /^the (zone|node)/.test(name));
  const others = losses.filter((loss) => !grave.includes(loss));
  const chosen = others.length === 0 || (grave.length > 0 && random.chance(0.6)) ? grave : others;
  return chosen.length === 0 ? undefined : random.pick(chosen);
}
