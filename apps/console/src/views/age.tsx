import type { Observation } from '@drover/observation/api';
import { span } from '../words.ts';

/** The parts that an account is read by, as the names of its readings begin. */
export type Part =
  | 'groups'
  | 'GitHub: runners'
  | 'job events'
  | 'alarms'
  | 'function logs'
  | 'Elasticsearch: health'
  | 'doctor'
  | 'cost';

const readingsOf = ({ readings }: Observation, part: Part) => readings.filter(({ what }) => what.startsWith(part));

/** Of an account a part may not have been read yet; a world is read as a whole. */
export const isRead = (state: Observation, part: Part): boolean =>
  readingsOf(state, part).every(({ readAt }) => readAt !== undefined);

/** Older than two turns: its age matters. */
const isOld = 2;

interface AgeProps {
  readonly state: Observation;
  readonly of: Part;
  /** Also while it is as young as it should be. */
  readonly always?: boolean;
}

/** How old a part is, when that matters, or that it was not read yet, and why it cannot be. */
export function Age({ state, of, always = false }: AgeProps) {
  const parts = readingsOf(state, of);
  if (parts.length === 0) return null;
  const problem = parts.find((one) => one.problem !== undefined)?.problem;
  const because = problem === undefined ? '' : `: ${problem}`;
  if (!isRead(state, of)) return <small class="age">not read yet{because}</small>;
  const oldest = Math.min(...parts.map(({ readAt }) => readAt!));
  const age = state.clock.now - oldest;
  if (!always && problem === undefined && age <= isOld * Math.max(...parts.map(({ everyMs }) => everyMs))) return null;
  return (
    <small class="age">
      read {span(age)} ago{because}
    </small>
  );
}
