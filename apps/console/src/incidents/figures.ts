import type { Incident, IncidentStep, LostBy } from '@drover/observation/api';

const leaves: ReadonlySet<string> = new Set(['machine-failed', 'terminating']);
/** From the best to the worst. */
const colours = new Map([
  ['cluster-green', 'green'],
  ['cluster-yellow', 'yellow'],
  ['cluster-red', 'red'],
  ['cluster-none', 'no master'],
]);

/** The figures that people quote of an incident, three at most: jobs, the colour of the cluster, and capacity. */
export function figuresOf({ steps, openedAt, endedAt }: Incident, now: number): readonly string[] {
  const figures = [lostFigure(steps), colourFigure(steps, endedAt ?? now), capacityFigure(steps, openedAt)];
  return figures.filter((figure) => figure !== '');
}

/** How many jobs were lost, and by whom: by us unless another cause is known. */
function lostFigure(steps: readonly IncidentStep[]): string {
  const lost = steps.flatMap(({ kind, by = 'by us' }): LostBy[] => (kind === 'job-lost' ? [by] : []));
  const shares = [...new Set(lost)].map((by) => `${lost.filter((one) => one === by).length} ${by}`);
  return lost.length === 0 ? 'no job lost' : `${lost.length === 1 ? 'job' : 'jobs'} lost: ${shares.join(', ')}`;
}

/** How long the cluster was not green, by colour. */
function colourFigure(steps: readonly IncidentStep[], until: number): string {
  const changes = steps.filter(({ kind }) => colours.has(kind));
  const times = [...colours].map(([kind, colour]) => {
    const spans = changes.map((one, index) => (one.kind === kind ? (changes[index + 1]?.at ?? until) - one.at : 0));
    return { colour, ms: spans.reduce((sum, ms) => sum + ms, 0) };
  });
  return times
    .filter(({ colour, ms }) => colour !== 'green' && ms > 0)
    .map(({ colour, ms }) => `${colour} for ${exactly(ms)}`)
    .join(', ');
}

/** Since when the cluster is not green, as the steps of the incidents say; undefined while it is. */
export function notGreenSince(incidents: readonly Pick<Incident, 'steps'>[]): number | undefined {
  const changes = incidents
    .flatMap(({ steps }) => steps.filter(({ kind }) => colours.has(kind)))
    .sort((a, b) => a.at - b.at);
  return changes.slice(changes.findLastIndex(({ kind }) => kind === 'cluster-green') + 1)[0]?.at;
}

/** When as many instances had come into service as had gone. */
function capacityFigure(steps: readonly IncidentStep[], openedAt: number): string {
  const gone = new Set(steps.flatMap(({ kind, about }) => (leaves.has(kind) ? [about] : [])));
  const back = steps.filter(({ kind }) => kind === 'in-service');
  if (gone.size === 0) return '';
  const last = back[gone.size - 1];
  return last === undefined
    ? `${back.length} of ${gone.size} replaced`
    : `capacity back after ${exactly(last.at - openedAt)}`;
}

/** `40 s`, `4 min 15 s`, `1 h 3 min`. */
function exactly(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  if (minutes === 0) return `${seconds} s`;
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
}
