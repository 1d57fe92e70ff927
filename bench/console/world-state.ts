import type { IncidentStep, JobState, Observation } from '../../packages/observation/src/api.ts';
import { consoleState } from './state.ts';

const minute = 60_000;
const size = { instances: 8, shards: 14, dataNodes: 2 };

/**
 * A world of `drover local` with all that its page shows: a fleet of eight and a small cluster, jobs, functions, alarms,
 * incidents, promises and events. From one round to the next a tenth of it changes.
 */
export function worldState(round: number): Observation {
  const state = consoleState(size, round);
  const { now } = state.clock;
  const job = (index: number): JobState => ({
    id: round + index,
    title: 'example-org/shop / ci / build',
    state: index < 30 ? 'completed' : index < 36 ? 'running' : 'queued',
    queuedAt: now - 30 * minute,
    startedAt: index < 36 ? now - 20 * minute : undefined,
    endedAt: index < 30 ? now - 10 * minute : undefined,
    instance: index < 36 ? state.fleet.instances[index % size.instances]?.id : undefined,
    lostBecause: undefined,
  });
  const step = (index: number): IncidentStep => ({
    at: now - (12 - index) * minute,
    kind: 'in-service',
    text: `i-${index} is in service`,
    bad: index % 5 === 0,
    about: `instance/i-${index}`,
  });
  return {
    ...state,
    fleet: { ...state.fleet, jobs: Array.from({ length: 40 }, (_, index) => job(index)) },
    functions: Array.from({ length: 7 }, (_, index) => ({
      name: `runners_function_${index}`,
      runs: round,
      errors: 0,
      last: [{ at: now, ok: (index + round) % 10 !== 0, text: 'ok' }],
    })),
    alarms: Array.from({ length: 14 }, (_, index) => ({
      name: `alarm_${index}-runners`,
      state: (index + round) % 10 === 0 ? 'ALARM' : 'OK',
      since: now - 5 * minute,
      meaning: 'Runners are missing.',
      scaling: false,
    })),
    incidents: Array.from({ length: 5 }, (_, id) => ({
      id,
      kind: 'fault',
      title: `The hardware of i-${id} failed.`,
      openedAt: now - 12 * minute,
      steps: Array.from({ length: 12 }, (_, index) => step(index)),
      verdict: { state: id === 0 ? 'open' : 'good', text: 'It is gone, and the group is complete.' },
      endedAt: id === 0 ? undefined : now - minute,
    })),
    promises: ['no job lost by us', 'no document lost', 'invariants'].map((name) => ({
      name,
      kept: true,
      figure: `of ${round}`,
      explanation: undefined,
    })),
    events: Array.from({ length: 100 }, (_, index) => ({
      at: now - index * minute,
      source: 'aws.autoscaling',
      text: `i-${round - index} is in service`,
      kind: 'change',
    })),
  };
}
