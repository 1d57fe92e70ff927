import type { ClusterAws } from '@drover/adapters/aws';
import type { ProcessContext } from '@drover/cloud-machines';
import type { Io } from '../../src/io.ts';

export type Phase = 'before' | 'after';

/** Where a process dies. */
export interface CrashPoint {
  readonly call: number;
  readonly phase: Phase;
}

export interface CrashStory {
  readonly plan: CrashPlan;
  /** What must never be, but was. */
  readonly violations: readonly string[];
}

/**
 * Runs a story once to find every external call that the watched command makes, then once more for each of them and each
 * phase with the process dying there. Reports how many cases ran, and at which calls.
 */
export async function crashEverywhere(
  title: string,
  story: (at: CrashPoint | undefined) => Promise<CrashStory>,
): Promise<{ readonly cases: number; readonly calls: readonly string[]; readonly failures: readonly string[] }> {
  const whole = await story(undefined);
  const failures = whole.violations.map((violation) => `without a crash: ${violation}`);
  let cases = 0;
  for (const [call, name] of whole.plan.calls.entries())
    for (const phase of ['before', 'after'] as const) {
      const { plan, violations } = await story({ call, phase });
      cases += 1;
      const at = `${phase} call ${call} (${name})`;
      if (!plan.struck) failures.push(`${at}: never reached`);
      failures.push(...violations.map((violation) => `${at}: ${violation}`));
    }
  const kinds = new Set(whole.plan.calls.map((name) => name.replace(/_nodes\/[\w-]{22}/, '_nodes/…')));
  console.log(`${title}: ${cases} crashes at ${whole.plan.calls.length} calls (${[...kinds].join(', ')})`);
  return { cases, calls: whole.plan.calls, failures };
}

const never = new Promise<never>(() => {});

/**
 * Counts every external call of the processes that it watches, to Elasticsearch, AWS and the metadata service, and kills the
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
