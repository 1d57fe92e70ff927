import type { Incident, IncidentStep } from '../api.ts';
import { describeEvent, type FleetEvent } from './events.ts';
import { lossesText } from './losses.ts';

export const incidentsKept = 30;
const stepsKept = 120;
/** Of a long story the beginning is kept, and the end. */
const beginningKept = 40;
/** An event that is repeated among this many steps is reported once. */
const lookBack = 5;

/** An incident with what has belonged to it so far. */
export interface Story {
  readonly incident: Incident;
  /** Losses of jobs. */
  readonly lost: readonly FleetEvent[];
}

export function openStory({ id, kind, title, openedAt }: Pick<Incident, 'id' | 'kind' | 'title' | 'openedAt'>): Story {
  const steps = [{ at: openedAt, text: title, bad: kind === 'fault', about: undefined }];
  const verdict = { state: 'open', text: '' } as const;
  return { incident: { id, kind, title, openedAt, steps, verdict, endedAt: undefined }, lost: [] };
}

export const addEvent = ({ incident, lost }: Story, event: FleetEvent): Story => ({
  incident: { ...incident, steps: addStep(incident.steps, { at: event.at, ...describeEvent(event) }) },
  lost: event.kind === 'job-lost' ? [...lost, event] : lost,
});

function addStep(steps: readonly IncidentStep[], step: IncidentStep): readonly IncidentStep[] {
  if (steps.slice(-lookBack).some(({ text }) => text === step.text)) return steps;
  const all = [...steps, step];
  return all.length > stepsKept ? [...all.slice(0, beginningKept), ...all.slice(beginningKept + 1)] : all;
}

/** Ends an incident: badly if jobs were lost in it, or for a reason of its caller. */
export function closeStory(
  { incident, lost }: Story,
  {
    endedAt,
    sentences,
    bad = false,
  }: { readonly endedAt: number; readonly sentences: readonly string[]; readonly bad?: boolean },
): Incident {
  const [outcome = '', ...more] = sentences;
  const text = [outcome, lossesText(lost), ...more].filter((sentence) => sentence !== '').join(' ');
  return { ...incident, verdict: { state: bad || lost.length > 0 ? 'bad' : 'good', text }, endedAt };
}
