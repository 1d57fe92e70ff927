import type { IncidentStep } from '@drover/observation/api';
import { shortId } from '../words.ts';

/** Steps of one kind in one second, as one line. */
export interface StepGroup {
  readonly at: number;
  readonly text: string;
  readonly bad: boolean;
  /** Each with its subject. */
  readonly members: readonly { readonly name: string; readonly about: string | undefined }[];
}

/** The words for several steps of a kind. */
const many: Readonly<Record<string, string>> = {
  launched: 'instances were launched',
  'launched-into-pool': 'instances were launched into the warm pool',
  'left-pool': 'instances leave the warm pool',
  'waits-for-hooks': 'instances wait for their hooks (booting, registering)',
  'in-service': 'instances are in service',
  terminating: 'instances are to be terminated and drain first',
  gone: 'instances have left the group',
  'launch-failed': 'instances failed to launch',
  'no-launch': 'launches failed',
  booted: 'machines booted',
  'machine-failed': 'machines failed',
  'runner-started': 'machines started their runner service',
  registered: 'machines registered their runner with GitHub',
  online: 'runners are online',
  offline: 'runners are offline',
  removed: 'runners were removed from GitHub',
  'labels-removed': 'runners lost their labels: they get no new job',
  'job-started': 'jobs started',
  'job-completed': 'jobs completed',
  'job-lost': 'jobs were lost',
  'alarm-on': 'alarms went off',
  'alarm-over': 'alarms are over',
  'function-failed': 'runs of functions failed',
  'node-joined': 'nodes joined the cluster',
  'node-left': 'nodes left the cluster',
  'node-died': 'nodes died',
};

const secondOf = (at: number): number => Math.floor(at / 1_000);

/** Oldest first. */
export function groupedSteps(steps: readonly IncidentStep[]): readonly StepGroup[] {
  const groups = new Map<string, IncidentStep[]>();
  for (const step of steps) {
    const key = `${secondOf(step.at)} ${step.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  return [...groups.values()].map(toGroup);
}

function toGroup(steps: readonly IncidentStep[]): StepGroup {
  const { at, text, kind, about } = steps[0]!;
  const bad = steps.some((step) => step.bad);
  if (steps.length === 1) return { at, text, bad, members: [{ name: text, about }] };
  const members = steps.map((step) => ({ name: nameOf(step), about: step.about }));
  return { at, text: `${steps.length} ${many[kind] ?? `times: ${text}`}${reasonOf(steps)}`, bad, members };
}

/** `instance/i-0123` and `job/12` in a few letters. */
function nameOf({ about, text }: IncidentStep): string {
  const [subject, id = ''] = about?.split('/') ?? [];
  if (subject === undefined) return text;
  return subject === 'job' ? `job ${id}` : shortId(id);
}

/** The reason that all of them have. */
function reasonOf(steps: readonly IncidentStep[]): string {
  const reasons = new Set(steps.map(({ text }) => text.split(': ').slice(1).join(': ')));
  const [reason = ''] = reasons;
  return reasons.size === 1 && reason !== '' ? `: ${reason}` : '';
}
