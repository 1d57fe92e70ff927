import type { ClusterAws } from '@drover/adapters/aws';
import type { ProcessContext } from '@drover/cloud-machines';
import type { Io } from '../../src/io.ts';

export type Phase = 'before' | 'after';

/** The point at which a process dies. */
export interface CrashPoint {
  readonly call: number;
  readonly phase: Phase;
}

export interface CrashStory {
  readonly plan: CrashPlan;
  /** Violations of what must always hold. */
  readonly violations: readonly string[];
}

/** A command that dies at one call, told apart in reports. */
export interface CrashCase {
  readonly at: CrashPoint;
  readonly name: string;
}

const phases = ['before', 'after'] as const;

/** The call without the names of nodes, so that equal calls are known as such. */
const kindOf = (call: string) => call.replace(/_nodes\/[\w-]{22}/, '_nodes/…');

/** Each call with a death just before and just after it. */
export function allCrashes(calls: readonly string[]): CrashCase[] {
  return calls.flatMap((name, call) =>
    phases.map((phase) => ({ at: { call, phase }, name: `${phase} call ${call} (${name})` })),
  );
}

/** One death at each call: equal calls die before and after it in turn, and so do the first ones of each kind. */
export function oneCrashACall(calls: readonly string[]): CrashCase[] {
  const kinds = [...new Set(calls.map(kindOf))];
  const seen = new Map<string, number>();
  return calls.map((name, call) => {
    const kind = kindOf(name);
    const earlier = seen.get(kind) ?? 0;
    seen.set(kind, earlier + 1);
    return allCrashes(calls)[2 * call + ((kinds.indexOf(kind) + earlier) % 2)]!;
  });
}

/** One death at each kind of call, before and after it in turn. */
export function oneCrashAKind(calls: readonly string[]): CrashCase[] {
  const kinds = [...new Set(calls.map(kindOf))];
  return kinds.map((kind, index) => allCrashes(calls)[2 * calls.map(kindOf).indexOf(kind) + (index % 2)]!);
}

/** Plays a story with one death; what must never be, but was. */
export async function playCrash(
  story: (at: CrashPoint | undefined) => Promise<CrashStory>,
  { at, name }: CrashCase,
): Promise<readonly string[]> {
  const { plan, violations } = await story(at);
  const missed = plan.struck ? [] : [`${name}: never reached`];
  return [...missed, ...violations.map((violation) => `${name}: ${violation}`)];
}

/**
 * Runs a story once to find every external call that the watched command makes, then once more for each crash: by default the process
 * dies just before or just after the first call of each kind, in `npm run test:thorough` at each call, and `npm run campaign -- --scenario crash`
 * does both. Stories that are cheap, or that the campaign does not play, do both here (`allCrashes`).
 */
export async function crashEverywhere(
  title: string,
  story: (at: CrashPoint | undefined) => Promise<CrashStory>,
  crashes: (calls: readonly string[]) => CrashCase[] = process.env.DROVER_THOROUGH === '1'
    ? oneCrashACall
    : oneCrashAKind,
): Promise<{ readonly cases: number; readonly calls: readonly string[]; readonly failures: readonly string[] }> {
  const whole = await story(undefined);
  const { calls } = whole.plan;
  const failures = whole.violations.map((violation) => `without a crash: ${violation}`);
  const cases = crashes(calls);
  for (const one of cases) failures.push(...(await playCrash(story, one)));
  const kinds = new Set(calls.map(kindOf));
  console.log(`${title}: ${cases.length} crashes at ${calls.length} calls (${[...kinds].join(', ')})`);
  return { cases: cases.length, calls, failures };
}

const never = new Promise<never>(() => {});

/**
 * Counts every external call of the processes that it watches, to Elasticsearch, its tools, AWS and the metadata service, and kills the
 * process just before or just after one of them. It strikes once: later runs live.
 */
export class CrashPlan {
  /** Every call that was begun, in order. */
  readonly calls: string[] = [];
  struck = false;
  readonly #at: CrashPoint | undefined;
  readonly #watches: (context: ProcessContext) => boolean;

  constructor(watches: (context: ProcessContext) => boolean, at: CrashPoint | undefined) {
    this.#watches = watches;
    this.#at = at;
  }

  readonly wrap = (io: Io, context: ProcessContext): Io => {
    if (!this.#watches(context)) return io;
    const kill = () =>
      context.machine
        .processes()
        .find(({ pid }) => pid === context.pid)!
        .signal('SIGKILL');
    return {
      ...io,
      exchange: (request) => this.#call(`${request.method} ${request.path}`, kill, () => io.exchange(request)),
      usersTool: (words, input) =>
        this.#call(`elasticsearch-users ${words[0]}`, kill, () => io.usersTool!(words, input)),
      aws: this.#aws(io.aws!, kill),
    };
  };

  #aws(aws: ClusterAws, kill: () => void): ClusterAws {
    const service = <Name extends keyof ClusterAws>(name: Name) =>
      ((operation: string, input: never) =>
        this.#call(operation, kill, () =>
          (aws[name] as (operation: string, input: never) => Promise<unknown>)(operation, input),
        )) as ClusterAws[Name];
    return {
      autoscaling: service('autoscaling'),
      ec2: service('ec2'),
      monitoring: service('monitoring'),
      s3: service('s3'),
      secretsmanager: service('secretsmanager'),
    };
  }

  async #call<T>(name: string, kill: () => void, act: () => Promise<T>): Promise<T> {
    const here = this.#at?.call === this.calls.length ? this.#at : undefined;
    this.calls.push(name);
    if (here === undefined) return await act();
    this.struck = true;
    if (here.phase === 'before') {
      kill();
      return await never;
    }
    const answer = await act();
    kill();
    await never;
    return answer;
  }
}
