import type { Observation } from '@drover/observation/api';
import type { LocalWorld } from '../../../../packages/local/src/local/local-world.ts';
import { deployWorld, exampleDeployment } from '../../../../packages/local/test/local-world.test-support.ts';
import { droverOn, observeAs, roleWith } from '../console-world.test-support.ts';
import type { Facts } from '../same-facts.test-support.ts';
import { type Expected, IncidentTruth } from './incident-truth.ts';
import { shownBy } from './shown.ts';
import { type FaultTool, faultPairs, faultTools } from './tools.ts';
import { JournalTruth, layersOf, truthOf } from './truth.ts';

const minute = 60_000;
const stack = 'drover-local';
const sampleMs = 5_000;

export type Mode = 'idle' | 'jobs';

interface PageCase {
  readonly name: string;
  readonly tools: readonly FaultTool[];
  readonly mode: Mode;
}

const caseOf = (mode: Mode, ...tools: FaultTool[]): PageCase => ({
  name: `${tools.map(({ name }) => name).join(', then ')}, ${mode} mode`,
  tools,
  mode,
});

/** The cases of the scenario `page`, by number: each tool in each scaling mode, and tools that meet. */
export const pageCases: readonly PageCase[] = [
  ...(['idle', 'jobs'] as const).flatMap((mode) => faultTools.map((tool) => caseOf(mode, tool))),
  ...faultPairs.map((pair) => caseOf('idle', ...pair)),
];

export interface PlayedPage {
  readonly violations: readonly string[];
  /** Values that were compared. */
  readonly checks: number;
}

interface Options extends PageCase {
  /** Whether a console of the account is open as well. @default true */
  readonly account?: boolean;
  readonly moments?: readonly Moment[];
}

const allMoments = ['before', 'after 10 s', 'after 10 min', 'healed'] as const;
export type Moment = (typeof allMoments)[number];

/**
 * One tool at four moments: every value that the page shows of a world, and of an account, is compared with the machines and the
 * engine. An account may show what was true when it was read.
 */
export async function playPage({
  name,
  tools,
  mode,
  account = true,
  moments = allMoments,
}: Options): Promise<PlayedPage> {
  const choices = { scalingMode: mode, onDemandBaseCapacity: 1 };
  const deployed = await deployWorld(await exampleDeployment(choices), { seed: `page ${name}`, choices });
  const { local } = deployed;
  const journal = new JournalTruth(local);
  await deployed.control('queue-jobs', { count: 3, minutes: 40 });
  const running = () => local.fleet.codeHost.registry.queue.jobs.filter(({ state }) => state === 'running').length;
  await local.clock.runUntil(() => running() === 3, 40 * minute);
  await local.clock.advance(2 * minute);
  const look = await Look.open(local, journal, account);
  const at = async (moment: Moment) => {
    if (moments.includes(moment)) await look.compare(moment);
  };
  if (account) await look.pass(2 * minute);
  await at('before');
  const incidents: { readonly truth: IncidentTruth; readonly expected: Expected }[] = [];
  for (const tool of tools) {
    if (incidents.length > 0) await look.pass(2 * minute);
    const truth = new IncidentTruth(local);
    incidents.push({ truth, expected: await tool.strike(deployed) });
  }
  await look.pass(9_000);
  await at('after 10 s');
  if (moments.includes('after 10 min')) {
    await look.pass(10 * minute - 10_000);
    await at('after 10 min');
  }
  if (moments.includes('healed')) {
    for (const tool of tools) await tool.heal?.(deployed);
    await look.untilHealed();
    await at('healed');
  }
  look.close();
  const untold = incidents.flatMap(({ truth, expected }) => truth.judge(expected));
  return { violations: [...look.violations, ...untold], checks: look.checks + incidents.length };
}

/** Time passes with both pages open, and the truth of each moment is kept for what the account shows later. */
class Look {
  readonly violations: string[] = [];
  checks = 0;
  readonly #local: LocalWorld;
  readonly #journal: JournalTruth;
  readonly #account: Awaited<ReturnType<typeof observeAs>> | undefined;
  readonly #past: { readonly at: number; readonly facts: Facts }[] = [];
  /** Layers of the chart by the moment of a sample. */
  readonly #layers = new Map<number, Readonly<Record<string, number>>>();

  private constructor(
    local: LocalWorld,
    journal: JournalTruth,
    account: Awaited<ReturnType<typeof observeAs>> | undefined,
  ) {
    this.#local = local;
    this.#journal = journal;
    this.#account = account;
  }

  static async open(local: LocalWorld, journal: JournalTruth, withAccount: boolean): Promise<Look> {
    const account = withAccount ? await openAccount(local) : undefined;
    const look = new Look(local, journal, account);
    const { history } = (await local.readState(true)).fleet;
    const next = (history.at(-1)?.at ?? local.clock.now()) + minute;
    local.clock.after(next - local.clock.now(), () => look.#sampleLayers());
    return look;
  }

  close(): void {
    this.#account?.stop();
  }

  /** At the moment of each sample of the chart. */
  #sampleLayers(): void {
    const { clock } = this.#local;
    this.#layers.set(clock.now(), layersOf(this.#local));
    clock.after(minute, () => this.#sampleLayers());
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += sampleMs) {
      await this.#local.clock.advance(Math.min(sampleMs, ms - passed));
      if (this.#account !== undefined) this.#keep();
    }
  }

  #keep(): void {
    this.#past.push({ at: this.#local.clock.now(), facts: truthOf(this.#local, this.#journal, 'account') });
  }

  /** Until no incident is open, and a while longer. */
  async untilHealed(): Promise<void> {
    const open = () => this.#local.watch.incidents.newestFirst.filter(({ endedAt }) => endedAt === undefined);
    for (let waited = 0; open().length > 0; waited++) {
      if (waited > 6 * 60)
        return void this.violations.push(
          `not healed: ${open()
            .map(({ title }) => title)
            .join(' ')}`,
        );
      await this.pass(minute);
    }
    await this.pass(5 * minute);
  }

  async compare(moment: string): Promise<void> {
    // On a slow network a read takes time of the world.
    const shown = await this.#local.fleet.drive(this.#local.readState(true), minute);
    const truth = truthOf(this.#local, this.#journal, 'world');
    this.#differences(`${moment}, world`, shownBy(shown), (name) => [truth.get(name)], truth);
    this.#compareChart(`${moment}, world`, shown);
    if (this.#account !== undefined) await this.#compareAccount(moment, await this.#account.latest());
  }

  async #compareAccount(moment: string, shown: Observation): Promise<void> {
    this.#keep();
    const facts = new Map([...shownBy(shown)].filter(([name]) => isKnownToAccounts(name)));
    const now = this.#local.clock.now();
    const truths = (name: string) => {
      const from = Math.min(now, ...readingsOf(name, shown).map(({ readAt }) => readAt ?? 0)) - slackMs;
      return this.#past.filter(({ at }) => at >= from).map((one) => one.facts.get(name));
    };
    this.#differences(`${moment}, account`, facts, truths, new Map());
  }

  #differences(
    where: string,
    shown: Facts,
    truths: (name: string) => readonly (string | undefined)[],
    all: Facts,
  ): void {
    for (const [name, value] of shown) {
      this.checks += 1;
      const expected = truths(name);
      if (!expected.includes(value))
        this.violations.push(`${where}: ${name} is shown as ${value}, not ${[...new Set(expected)].join(' or ')}`);
    }
    for (const [name, value] of all)
      if (!shown.has(name)) this.violations.push(`${where}: ${name} is ${value} and not shown`);
  }

  #compareChart(where: string, { fleet: { history } }: Observation): void {
    for (const { at, ...layers } of history) {
      const truth = this.#layers.get(at);
      if (truth === undefined) continue;
      for (const [layer, value] of Object.entries(layers)) {
        this.checks += 1;
        if (truth[layer] !== value)
          this.violations.push(
            `${where}: the chart has ${layer} ${value} at ${new Date(at).toISOString()}, not ${truth[layer]}`,
          );
      }
    }
  }
}

/** A fact is read within a second or two, and the programs' own notes of a job come within a minute. */
const slackMs = minute;

/** Counts of cells that were read one after the other are no single moment's; promises and lost zones only a world knows. */
const isKnownToAccounts = (name: string): boolean =>
  !/^(busy|idle|jobs done|jobs lost|zone |no job lost|no document lost|invariants|way out)/.test(name);

const sources: readonly (readonly [RegExp, RegExp])[] = [
  [/^(cell|job on) /, /^(groups|GitHub: runners|fleet memory|job events)/],
  [/^(node |elected|cluster$|shards|unassigned)/, /^(groups|Elasticsearch: health)/],
  [/^functions/, /^function logs/],
  [/^alarms/, /^alarms/],
  [/^GitHub/, /^GitHub/],
  [/^queued/, /^fleet memory/],
];

const readingsOf = (name: string, { readings }: Observation) => {
  const [, source = /^groups/] = sources.find(([fact]) => fact.test(name)) ?? [];
  return readings.filter(({ what }) => source.test(what));
};

/** The console of the account, with the printed policy alone. */
async function openAccount(local: LocalWorld) {
  const { stdout: policy } = await droverOn(local, 'console', '--stack', stack, '--print-policy');
  const login = await roleWith(local, policy);
  const observer = await observeAs(local, await local.fleet.drive(login(), minute), [stack]);
  observer.start();
  return observer;
}
