import type { Incident, IncidentStep } from '../api.ts';
import { describeEvent, type FleetEvent } from './events.ts';
import { lossesText } from './losses.ts';

export const incidentsKept = 30;
const stepsKept = 120;
/** Of a long story the beginning is kept, the end, and what its figures are made of. */
const beginningKept = 40;
const counts = /^(job-lost|machine-failed|terminating|in-service|cluster-.*)$/;
/** An event that is repeated among this many steps is reported once. */
const lookBack = 5;

/** An incident with what has belonged to it so far. */
export interface Story {
  readonly incident: Incident;
  /** Losses of jobs. */
  readonly lost: readonly FleetEvent[];
}

export function openStory({ id, kind, title, openedAt }: Pick<Incident, 'id' | 'kind' | 'title' | 'openedAt'>): Story {
  const verdict = { state: 'open', text: '' } as const;
  return { incident: { id, kind, title, openedAt, steps: [], verdict, endedAt: undefined }, lost: [] };
}

export function addEvent({ incident, lost }: Story, event: FleetEvent): Story {
  const { at, kind, by } = event;
  const steps = addStep(incident.steps, { at, kind, by, ...describeEvent(event) });
  return { incident: { ...incident, steps }, lost: kind === 'job-lost' ? [...lost, event] : lost };
}

/** One that was noticed late has its place by the time at which it happened. */
function addStep(steps: readonly IncidentStep[], step: IncidentStep): readonly IncidentStep[] {
  if (steps.slice(-lookBack).some(({ text }) => text === step.text)) return steps;
  const all = [...steps, step].sort((a, b) => a.at - b.at);
  const dropped = all.findIndex(({ kind }, index) => index >= beginningKept && !counts.test(kind));
  return all.length > stepsKept ? all.filter((_, index) => index !== dropped) : all;
}

/** Ends an incident: badly if jobs were lost by us, or for a reason of its caller; as well as can be if others lost them. */
export function closeStory(
  { incident, lost }: Story,
  {
    endedAt,
    sentences,
    bad = lost.some(({ by = 'by us' }) => by === 'by us'),
  }: { readonly endedAt: number; readonly sentences: readonly string[]; readonly bad?: boolean | undefined },
): Incident {
  const [outcome = '', ...more] = sentences;
  const text = [outcome, lossesText(lost), ...more].filter((sentence) => sentence !== '').join(' ');
  return { ...incident, verdict: { state: bad ? 'bad' : lost.length > 0 ? 'fair' : 'good', text }, endedAt };
}
