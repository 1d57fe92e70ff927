import type { FaultEffect } from '@drover/cloud-engine';
import type { HistoryWorld } from './history-world.ts';
import type { TroubleKind } from './troubles.ts';

/** Something that goes wrong and is healed later. */
export interface HistoryFault {
  readonly kind: TroubleKind;
  /** Longest time until it is healed. */
  readonly longestMinutes: number;
  /** Returns how it is healed; undefined: it cannot strike now, or would take what no configuration survives. */
  strike(history: HistoryWorld): (() => void) | undefined;
}

const nothing = () => {};
const mebibytes = 1024 ** 2;

const everywhere = (
  kind: TroubleKind,
  longestMinutes: number,
  service: string | undefined,
  effect: (history: HistoryWorld) => FaultEffect,
  more: { readonly operation?: string; readonly subject?: string; readonly chance?: number } = {},
): HistoryFault => ({
  kind,
  longestMinutes,
  strike: (history) =>
    history.rule({ ...(service === undefined ? {} : { service }), ...more, effect: effect(history) }),
});

/** One runner of those that fit. */
const onRunner = (
  act: (history: HistoryWorld, id: string) => (() => void) | undefined,
  fits: (history: HistoryWorld, id: string) => boolean = () => true,
): HistoryFault => ({
  kind: 'other',
  longestMinutes: 30,
  strike: (history) => {
    const runners = history.runners((id) => fits(history, id) && !history.isDead(id));
    return runners.length === 0 ? undefined : act(history, history.random.pick(runners));
  },
});

/** One node, of which everything is left without it. */
const onNode = (act: (history: HistoryWorld, id: string) => () => void, longestMinutes: number): HistoryFault => ({
  kind: 'nodes',
  longestMinutes,
  strike: (history) => {
    if (history.cluster.colour() !== 'green' || history.troubles.struck('nodes', 0)) return undefined;
    const nodes = history.clusterGroups.flatMap((group) => history.nodesIn(group));
    const losable = nodes.filter((id) => history.clusterSurvives(new Set([id])));
    return losable.length === 0 ? undefined : act(history, history.random.pick(losable));
  },
});

/** Faults of histories: every tool of the page that breaks something, and what else heals. */
export const faults: Readonly<Record<string, HistoryFault>> = {
  'GitHub is down': everywhere('other', 90, 'platform', () => ({ kind: 'error', status: 503 })),
  'GitHub limits requests': everywhere('other', 60, 'platform', () => ({ kind: 'throttle' })),
  'the network is slow': everywhere('calls', 60, undefined, ({ random }) => ({
    kind: 'slow',
    ms: random.int(500, 5_000),
  })),
  'functions are throttled': everywhere('other', 60, 'lambda', () => ({ kind: 'throttle' })),
  'calls to Auto Scaling fail': everywhere('calls', 60, 'autoscaling', () => ({ kind: 'error' }), {
    subject: 'assumed-role',
    chance: 0.3,
  }),
  'events are lost': everywhere('other', 120, 'events', () => ({ kind: 'lose' }), { chance: 0.3 }),
  'Elasticsearch does not respond': everywhere('calls', 20, 'search', () => ({ kind: 'error', status: 503 }), {
    chance: 0.5,
  }),
  'boots fail': everywhere('other', 90, 'machine', () => ({ kind: 'boot-failure' }), {
    operation: 'configure',
  }),
  'boots hang': everywhere('other', 90, 'machine', () => ({ kind: 'timeout' }), { operation: 'configure' }),
  'a runner is lost': onRunner(({ world }, id) => {
    world.machines.kill(id);
    return nothing;
  }),
  'a runner hangs': onRunner(({ world }, id) => {
    world.machines.crash(id);
    return nothing;
  }),
  "a runner's disk is full": onRunner(({ world }, id) => {
    const machine = world.machines.get(id);
    if (machine === undefined) return undefined;
    const before = machine.disk.freeBytes;
    machine.disk.freeBytes = 100 * mebibytes;
    return () => {
      machine.disk.freeBytes = before;
    };
  }),
  'spot capacity is reclaimed': onRunner(
    ({ world }, id) => {
      world.operate.reclaimSpot(id);
      return nothing;
    },
    ({ world }, id) => world.observe.instance(id)?.spot === true,
  ),
  'a node is lost': onNode(({ world }, id) => {
    world.machines.kill(id);
    return nothing;
  }, 20),
  "a node's process dies": onNode((history, id) => {
    const node = history.cluster.nodeOf(id);
    node.crash();
    return () => {
      if (history.cluster.nodes.get(id) === node) node.start();
    };
  }, 20),
  'a zone is lost': {
    kind: 'nodes',
    longestMinutes: 120,
    strike: (history) => {
      if (history.lostZones.size > 0 || !history.clusterIsWell()) return undefined;
      const zone = history.random.pick(history.world.aws.zones);
      const { observe } = history.world;
      const lost = observe.instances().flatMap((one) => (one.availabilityZone === zone ? [one.id] : []));
      return history.clusterSurvives(new Set(lost)) ? history.loseZone(zone) : undefined;
    },
  },
};
