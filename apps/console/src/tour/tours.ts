import type { Observation } from '@drover/observation/api';
import type { Act } from '../controls.ts';

/** A part of a tour: what is done, how fast time passes, what there is to see, and until when. */
export interface Leg {
  readonly say: string;
  readonly act?: (state: Observation) => Act;
  readonly speed: number;
  /** `passedMs` of simulated time since it began. */
  readonly isOver: (state: Observation, passedMs: number) => boolean;
}

export interface Tour {
  readonly title: string;
  readonly about: string;
  readonly legs: readonly Leg[];
}

const second = 1_000;
const minute = 60 * second;
const after = (ms: number) => (_: Observation, passedMs: number) => passedMs >= ms;
const zone = (state: Observation) => state.zones[0]?.name ?? '';
const busy = (state: Observation) => state.fleet.instances.filter(({ runner }) => runner === 'busy').length;
const hasEnded = (state: Observation) =>
  state.incidents.every(({ kind, endedAt }) => kind !== 'fault' || endedAt !== undefined);
/** A viewer waits no longer than that. */
const longest = 90 * minute;

/** Slow where something happens, fast where one waits; each ends with the verdict of its incident. */
export const tours: readonly Tour[] = [
  {
    title: 'Lose a zone',
    about: 'A third of the machines is gone at once. Two minutes.',
    legs: [
      {
        say: 'Six jobs are queued. Idle runners take the first; the fleet grows for the others.',
        act: () => ['queue-jobs', { count: 6, minutes: 15 }],
        speed: 60,
        isOver: (state, passedMs) => (busy(state) >= 3 && passedMs >= minute) || passedMs >= 10 * minute,
      },
      {
        say: 'The first zone goes: its runners, its search nodes, and jobs that ran there are lost with the hardware.',
        act: (state) => ['lose-zone', { zone: zone(state), lost: true }],
        speed: 10,
        isOver: after(45 * second),
      },
      {
        say: 'Copies of the lost shards take over, and missing ones are made again: yellow, then green. New instances start in the other zones.',
        speed: 60,
        isOver: (state, passedMs) =>
          (state.cluster.health === 'green' && passedMs >= 5 * minute) || passedMs >= 40 * minute,
      },
      {
        say: 'The zone is back. New runners use it; one master moves there, so that the next loss is survived as well.',
        act: (state) => ['lose-zone', { zone: zone(state), lost: false }],
        speed: 300,
        isOver: (state, passedMs) => (hasEnded(state) && passedMs >= minute) || passedMs >= longest,
      },
    ],
  },
  {
    title: 'GitHub is away for a minute',
    about: 'Requests fail, and nothing is lost. One minute.',
    legs: [
      {
        say: 'Four jobs are queued and started.',
        act: () => ['queue-jobs', { count: 4, minutes: 10 }],
        speed: 60,
        isOver: (state, passedMs) => (busy(state) >= 2 && passedMs >= minute) || passedMs >= 10 * minute,
      },
      {
        say: 'GitHub returns 503. The functions fail and say why; no host is terminated for it.',
        act: () => ['platform-down', { on: true }],
        speed: 10,
        isOver: after(minute),
      },
      {
        say: 'GitHub is back. What waited goes on. In a longer outage its own runner would give up jobs that it cannot renew.',
        act: () => ['platform-down', { on: false }],
        speed: 60,
        isOver: (state, passedMs) => (hasEnded(state) && passedMs >= minute) || passedMs >= longest,
      },
    ],
  },
];
