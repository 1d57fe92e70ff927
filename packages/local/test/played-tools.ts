import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError, type Random, SeededRandom } from '@drover/core';
import type { ControlName, Controls } from '@drover/observation/api';
import { Inputs } from '../src/local/inputs.ts';
import type { LocalWorld } from '../src/local/local-world.ts';
import { Session } from '../src/local/session.ts';
import { Marks } from '../src/local/travel/marks.ts';
import { deployWorld, exampleDeployment } from './local-world.test-support.ts';

const minute = 60_000;
/** As the page moves time at the default speed. */
const paceStepMs = 3_000;
const meanPauseMinutes = 10;
const jobs = { most: 8, longestMinutes: 25 };

/** The result of playing. */
interface PlayedTools {
  readonly violations: readonly string[];
  readonly checks: number;
  /** The acts, with their times. */
  readonly told: readonly string[];
  readonly jobs: { readonly completed: number; readonly lost: number };
  readonly documents: number;
}

/**
 * Hours of `drover local` in which a user uses the tools of the page at random, with a page open. Then what was broken
 * is mended; afterwards every promise must hold, and a replay must take the same course.
 */
export async function playTools({ seed, hours }: { readonly seed: number; readonly hours: number }) {
  const choices = {
    scalingMode: seed % 3 === 0 ? ('jobs' as const) : ('idle' as const),
    onDemandBaseCapacity: seed % 2 === 0 ? undefined : 1,
  };
  const deployment = await exampleDeployment(choices);
  const open = async (quickReplay: boolean) =>
    (await deployWorld(deployment, { seed: `tools ${seed}`, choices, quickReplay })).local;
  const folder = mkdtempSync(join(tmpdir(), 'drover-tools-'));
  try {
    const session = new Session(folder);
    const local = await open(false);
    const user = new User(local, new SeededRandom(seed), session);
    await user.play(hours);
    await user.mend();
    const played = await judge(local, user);
    const again = await open(true);
    const otherFrom = await new Inputs(again, new Session(join(folder, 'again'))).replay(session.read()!);
    const violations =
      otherFrom === undefined
        ? played.violations
        : [...played.violations, `the replay took another course by ${new Date(otherFrom).toISOString()}`];
    return { ...played, violations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(local: LocalWorld, { told }: User): Promise<PlayedTools> {
  const { fleet, cluster } = local.watch.checkers;
  fleet.checkAtRest();
  await fleet.checkAlways();
  cluster.stop();
  cluster.checkAtRest();
  local.writer.stop();
  await local.clock.advance(2 * minute);
  const missing = await local.writer.missing();
  const lost = missing.length === 0 ? [] : [`${missing.length} acknowledged documents are lost`];
  const { counts, waiting } = local.fleet.codeHost.registry.queue;
  const left = waiting.length === 0 ? [] : [`${waiting.length} jobs still wait for a runner`];
  return {
    violations: [...fleet.violations, ...cluster.violations, ...lost, ...left],
    checks: fleet.checks + cluster.checks,
    told,
    jobs: { completed: counts.completed, lost: counts.lost },
    documents: local.writer.count,
  };
}

type Tools = { readonly [Name in Exclude<ControlName, 'clock'>]: () => Controls[Name] | undefined };
type Switch = 'slow-network' | 'throttle-functions' | 'platform-down' | 'platform-rate-limit';

/** A user who tries the tools one after another. */
class User {
  readonly told: string[] = [];
  readonly #local: LocalWorld;
  readonly #random: Random;
  readonly #inputs: Inputs;
  readonly #session: Session;
  readonly #marks: Marks;
  readonly #on = new Set<Switch>();
  #lostZone: string | undefined;

  constructor(local: LocalWorld, random: Random, session: Session) {
    this.#local = local;
    this.#random = random;
    this.#session = session;
    session.begin({ version: 1, seed: 'tools', startedAt: local.clock.now(), settings: {} });
    this.#inputs = new Inputs(local, session);
    this.#marks = new Marks(local, session);
  }

  async play(hours: number): Promise<void> {
    for (let passed = 0; passed < hours * 60; passed++) {
      if (this.#random.chance(1 / meanPauseMinutes)) await this.#useOne();
      await this.#pass();
    }
  }

  /** Turns off what is on, and waits until everything is as it should be. */
  async mend(): Promise<void> {
    for (const name of [...this.#on]) await this.#use(name, { on: false });
    if (this.#lostZone !== undefined) await this.#use('lose-zone', { zone: this.#lostZone, lost: false });
    const calm = () => this.#nobodyWaits() && this.#clusterIsWell();
    for (let waited = 0; waited < 6 * 60 && !calm(); waited++) await this.#pass();
    for (let rested = 0; rested < 60; rested++) await this.#pass();
    this.#marks.end();
    this.#session.reached(this.#local.clock.now());
  }

  /** A minute, with a page that looks twice. */
  async #pass(): Promise<void> {
    for (let step = 0; step < minute / paceStepMs; step++) {
      await this.#local.clock.advance(paceStepMs);
      this.#marks.note();
      if (step % 10 === 0) void this.#local.readState(step === 0);
    }
  }

  readonly #tools: Tools = {
    'queue-jobs': () => ({
      count: this.#random.int(1, jobs.most),
      minutes: this.#random.int(1, jobs.longestMinutes),
    }),
    'set-desired': () => ({ group: this.#group, capacity: this.#random.int(1, 8) }),
    'terminate-instance': () => this.#oneRunner(),
    'break-instance': () => this.#oneRunner(),
    'hang-instance': () => this.#oneRunner(),
    'fill-disk': () => this.#oneRunner(),
    'cut-off': () => undefined,
    'reclaim-spot': () => this.#oneRunner(({ spot }) => spot),
    'platform-down': () => this.#turn('platform-down'),
    'platform-rate-limit': () => this.#turn('platform-rate-limit'),
    'slow-network': () => this.#turn('slow-network'),
    'throttle-functions': () => this.#turn('throttle-functions'),
    'start-refresh': () => ({ group: this.#group }),
    'cancel-refresh': () => ({ group: this.#group }),
    // Copies of a document on two machines do not survive the loss of both.
    'kill-node': () => (this.#clusterIsWell() ? this.#one([...this.#local.cluster.nodes.keys()]) : undefined),
    'lose-zone': () => this.#turnZone(),
    'change-inputs': () => ({
      idleTarget: this.#random.int(1, 4),
      // Jobs ask for the labels of one mode: those that wait would wait for ever.
      ...(this.#random.chance(0.3) && this.#nobodyWaits()
        ? { mode: this.#random.pick(['idle', 'jobs'] as const) }
        : {}),
    }),
  };

  async #useOne(): Promise<void> {
    const names = Object.keys(this.#tools) as (keyof Tools)[];
    const name = this.#random.chance(0.25) ? 'queue-jobs' : this.#random.pick(names);
    const input = this.#tools[name]();
    if (input !== undefined) await this.#use(name, input as never);
  }

  async #use<Name extends ControlName>(name: Name, input: Controls[Name]): Promise<void> {
    const at = new Date(this.#local.clock.now()).toISOString().slice(11, 16);
    const line = this.told.push(`${at} ${name} ${JSON.stringify(input)}`) - 1;
    // A refusal is shown to the user, and time goes on meanwhile.
    void this.#inputs.control(name, input as never).catch((error: unknown) => {
      this.told[line] += ` (${describeError(error)})`;
    });
    await this.#local.clock.settle();
  }

  get #group(): string {
    return this.#local.fleet.groupName;
  }

  #runners() {
    const { observe } = this.#local.world;
    return observe
      .instances()
      .filter(({ id, state }) => state === 'running' && observe.member(id)?.group.name === this.#group);
  }

  #oneRunner(fits: (instance: { readonly spot: boolean }) => boolean = () => true) {
    return this.#one(
      this.#runners()
        .filter(fits)
        .map(({ id }) => id),
    );
  }

  #one(ids: readonly string[]): { readonly instance: string } | undefined {
    return ids.length === 0 ? undefined : { instance: this.#random.pick(ids) };
  }

  #turn(name: Switch): { readonly on: boolean } {
    const on = !this.#on.has(name);
    if (on) this.#on.add(name);
    else this.#on.delete(name);
    return { on };
  }

  #turnZone(): Controls['lose-zone'] | undefined {
    const zone = this.#lostZone ?? this.#random.pick(this.#local.world.aws.zones);
    const lost = this.#lostZone === undefined;
    if (lost && !this.#clusterIsWell()) return undefined;
    this.#lostZone = lost ? zone : undefined;
    return { zone, lost };
  }

  #nobodyWaits(): boolean {
    return this.#local.fleet.codeHost.registry.queue.waiting.length === 0;
  }

  /** Green, every node there, no zone away. */
  #clusterIsWell(): boolean {
    const { cluster } = this.#local;
    const all = [...cluster.nodes.values()];
    return this.#lostZone === undefined && cluster.colour() === 'green' && all.every((node) => node.running);
  }
}
