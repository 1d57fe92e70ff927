import type { JournalEntry } from '@drover/cloud-engine';
import type { Incident } from '@drover/observation/api';
import { figuresOf } from '../../../../apps/console/src/incidents/figures.ts';
import type { LocalWorld } from '../../../../packages/local/src/local/local-world.ts';

/** The incident of a tool, as it must be shown. */
export interface Expected {
  readonly title: RegExp;
  /** The groups that it struck: its machines, or all of a group's. */
  readonly groups: readonly string[];
  readonly instances?: readonly string[];
  readonly cluster?: boolean;
  /** It replaces the machines of its groups, which leave without a fault. */
  readonly replaces?: boolean;
}

const longest = 240;
/** The colour of the cluster is looked at this often. */
const colourMs = 15_000;

/** The journal since a tool was used. */
export class IncidentTruth {
  readonly #local: LocalWorld;
  readonly #entries: JournalEntry[] = [];
  readonly #groupOf = new Map<string, string>();
  readonly #begun: number;
  readonly #colours: { readonly at: number; readonly colour: string }[] = [];

  constructor(local: LocalWorld) {
    this.#local = local;
    this.#begun = local.clock.now();
    this.#noteGroups();
    local.world.engine.journal.subscribe((entry) => {
      this.#entries.push(entry);
      if (entry.source === 'aws.autoscaling') this.#noteGroups();
    });
    const look = () => {
      const colour = local.cluster.core.leader === undefined ? 'no master' : local.cluster.colour();
      if (colour !== (this.#colours.at(-1)?.colour ?? 'green')) this.#colours.push({ at: local.clock.now(), colour });
      local.clock.after(1_000, look);
    };
    look();
  }

  #noteGroups(): void {
    for (const { instanceId, group } of this.#local.world.observe.members()) this.#groupOf.set(instanceId, group.name);
  }

  /** Everything that is wrong with an incident. */
  judge(expected: Expected): readonly string[] {
    const incident = this.#local.watch.incidents.newestFirst.findLast(
      ({ title, openedAt }) => expected.title.test(title) && openedAt >= this.#begun,
    );
    if (incident === undefined) return [`there is no incident ${expected.title}`];
    const figures = figuresOf(incident, this.#local.clock.now());
    const shown = [incident.title, ...figures].join(' ');
    return [
      ...(incident.openedAt - this.#begun > 2_000 ? [`it begins ${incident.openedAt - this.#begun} ms late`] : []),
      ...(shown.length > longest ? [`headline and figures have ${shown.length} characters: ${shown}`] : []),
      ...this.#strangers(incident, expected),
      ...this.#wrongJobs(incident, expected, figures),
      ...this.#wrongColours(incident, expected, figures),
      ...this.#wrongCapacity(incident, expected, figures),
    ].map((wrong) => `${incident.title} ${wrong}`);
  }

  /** Steps that are not its own: of other machines, other groups, other jobs. */
  #strangers({ steps }: Incident, { groups, instances, cluster = false }: Expected): readonly string[] {
    const others = new Set<string>();
    return steps.flatMap(({ kind, text, about = '' }) => {
      const [subject, id = ''] = about.split('/');
      if (/^(cluster|node)-/.test(kind)) return cluster ? [] : [`shows the cluster: ${text}`];
      if (subject === 'job') return this.#isItsJob(Number(id), groups, instances) ? [] : [`shows another job: ${text}`];
      if (subject !== 'instance') return groups.some((group) => text.includes(group)) ? [] : [`shows others: ${text}`];
      if (!groups.includes(this.#groupOf.get(id) ?? '')) return [`shows another group: ${text}`];
      if (instances !== undefined && !instances.includes(id)) others.add(id);
      // Each machine has one successor.
      return instances !== undefined && others.size > instances.length ? [`shows a stranger: ${text}`] : [];
    });
  }

  #isItsJob(job: number, groups: readonly string[], instances: readonly string[] | undefined): boolean {
    const runners = this.#entries
      .filter(({ source, subject }) => source === 'platform.job' && subject === `job-${job}`)
      .map(({ detail }) => String(detail?.runner));
    return runners.some((id) => (instances === undefined ? groups.includes(this.#groupOf.get(id) ?? '') : true));
  }

  #wrongJobs(incident: Incident, { groups, instances }: Expected, figures: readonly string[]): readonly string[] {
    const until = incident.endedAt ?? Number.POSITIVE_INFINITY;
    const lost = this.#entries.filter(({ source, name, at, detail }) => {
      const id = String(detail?.runner);
      const its = instances === undefined ? groups.includes(this.#groupOf.get(id) ?? '') : instances.includes(id);
      // One whose Worker had ended before belongs to what ended it.
      return source === 'platform.job' && name === 'lost' && at <= until && its && this.#ends(id).length > 0;
    });
    const shown = figures.filter((figure) => /lost/.test(figure)).join();
    const count = [...shown.matchAll(/\d+/g)].reduce((sum, [digits]) => sum + Number(digits), 0);
    const byHardware = lost.filter(({ detail }) => this.#died(String(detail?.runner))).length;
    const shownHardware = Number(/(\d+) by hardware/.exec(shown)?.[1] ?? 0);
    const { state } = incident.verdict;
    const ours = /by us/.test(shown);
    const fits = state === 'open' || state === 'bad' ? true : (state === 'good') === (lost.length === 0);
    return [
      ...(count === lost.length ? [] : [`shows ${count} lost jobs, not ${lost.length}`]),
      ...(shownHardware === byHardware ? [] : [`shows ${shownHardware} jobs lost by hardware, not ${byHardware}`]),
      ...(fits ? [] : [`is ${state} with ${lost.length} lost jobs`]),
      ...(ours && state !== 'bad' && state !== 'open' ? [`is ${state} though we lost a job`] : []),
      ...(!ours && state === 'bad' && !/Cancelled|Failed|could not be counted/.test(incident.verdict.text)
        ? [`is bad though nothing is our fault: ${incident.verdict.text}`]
        : []),
      ...this.#wrongTimes(incident, lost),
    ];
  }

  /** A job ended when its Worker or its machine did, not when its lease was over. */
  #wrongTimes({ steps }: Incident, lost: readonly JournalEntry[]): readonly string[] {
    return lost.flatMap(({ subject = '', detail, at: leaseEnd }) => {
      const id = String(detail?.runner);
      const ended = this.#ends(id).find(({ at }) => at <= leaseEnd)?.at;
      const shown = steps.find(({ kind, about }) => kind === 'job-lost' && about === `job/${subject.slice(4)}`)?.at;
      return ended === undefined || shown === undefined || Math.abs(shown - ended) <= 1_000
        ? []
        : [`${subject} ended at ${new Date(ended).toISOString()}, not at ${new Date(shown).toISOString()}`];
    });
  }

  /** The ends of its Workers and of the machine. */
  #ends(id: string): readonly JournalEntry[] {
    return this.#entries.filter(
      ({ source, name, subject, detail }) =>
        subject === id &&
        ((name === 'process-exit' && detail?.process === 'Runner.Worker') ||
          (source === 'machine' && /-> crashed$/.test(name))),
    );
  }

  #died(id: string): boolean {
    return this.#entries.some(
      ({ source, name, subject = '' }) =>
        subject.endsWith(id) && ((source === 'machine' && /-> crashed$/.test(name)) || /Spot.*Warning/.test(name)),
    );
  }

  #wrongColours(incident: Incident, { cluster = false }: Expected, figures: readonly string[]): readonly string[] {
    const shown = figures.join('; ');
    const until = incident.endedAt ?? this.#local.clock.now();
    return ['yellow', 'red', 'no master'].flatMap((colour) => {
      const ms = cluster ? this.#lasted(colour, until) : 0;
      const shownMs = seconds(new RegExp(`${colour} for ([^,;]*)`).exec(shown)?.[1]) * 1_000;
      return Math.abs(ms - shownMs) <= 2 * colourMs ? [] : [`shows ${colour} for ${shownMs} ms, not ${ms} ms`];
    });
  }

  #lasted(wanted: string, until: number): number {
    const spans = this.#colours.map(({ at, colour }, index) => {
      const end = Math.min(this.#colours[index + 1]?.at ?? until, until);
      return colour === wanted ? Math.max(0, end - at) : 0;
    });
    return spans.reduce((sum, ms) => sum + ms, 0);
  }

  /** As many came into service as machines died, or were to go. */
  #wrongCapacity(incident: Incident, expected: Expected, figures: readonly string[]): readonly string[] {
    const { groups, instances, replaces = instances !== undefined } = expected;
    const shown = /capacity back after (.*)/.exec(figures.join('\n'))?.[1];
    if (shown === undefined) return [];
    const its = (id: string) => instances?.includes(id) ?? groups.includes(this.#groupOf.get(id) ?? '');
    const gone = new Set(
      this.#entries
        .filter(
          ({ source, name, at }) =>
            at <= (incident.endedAt ?? at) &&
            ((source === 'machine' && /-> crashed$/.test(name)) ||
              (replaces && source === 'aws.autoscaling' && /-> Terminating:Wait$/.test(name))),
        )
        .map(({ subject = '' }) => subject)
        .filter(its),
    );
    // One that was on its way before replaces another.
    const launched = new Set(
      this.#entries
        .filter(({ source, name }) => source === 'aws.autoscaling' && /^(none|Warmed:\w+) -> Pending$/.test(name))
        .map(({ subject }) => subject),
    );
    const served = this.#entries.filter(
      ({ source, name, subject = '' }) =>
        source === 'aws.autoscaling' &&
        name.endsWith('-> InService') &&
        groups.includes(this.#groupOf.get(subject) ?? '') &&
        !gone.has(subject) &&
        (!replaces || launched.has(subject)),
    );
    const at = served[gone.size - 1]?.at;
    const after = at === undefined ? Number.NaN : at - incident.openedAt;
    return Math.abs(after - seconds(shown) * 1_000) <= 60_000
      ? []
      : [`has capacity back after ${shown}, not after ${after} ms (${gone.size} gone)`];
  }
}

/** `40 s`, `4 min 15 s`, `1 h 3 min`. */
function seconds(text = ''): number {
  const part = (unit: string) => Number(new RegExp(`(\\d+) ${unit}\\b`).exec(text)?.[1] ?? 0);
  return part('h') * 3_600 + part('min') * 60 + part('s');
}
