import { PlatformClient, tokenCredentials } from '@drover/adapters/github';
import { asFetch, createEngine, type Engine } from '@drover/cloud-engine';
import { CodeHost, type CodeHostOptions, type RunnerRegistry, type RunnerSession } from '@drover/cloud-github';
import { clients, World } from '@drover/cloud-world';
import { Secret, SeededRandom, VirtualClock } from '@drover/core';
import { administratorOf } from '../../cloud/aws/test/contract/rehearsal.ts';
import { Account, type AccountClients } from './account.ts';
import type { Ground, Parts } from './ground.ts';
import type { Time } from './lab.ts';
import { Repository } from './repository.ts';
import { ScaleSets } from './scale-sets.ts';

const hosted = 'ubuntu-latest';
const org = 'example-org';

type Run = ReturnType<Exclude<ReturnType<RunnerRegistry['connect']>, string>['run']>;

/** The doubles of GitHub and AWS, on a clock that moves when an experiment waits. */
export class Rehearsal implements Ground {
  readonly name = 'the embedded cloud';
  readonly rehearsed = true;
  readonly hosted = hosted;
  readonly clock: VirtualClock;
  readonly engine: Engine;
  readonly host: CodeHost;
  readonly world: World;
  readonly #clients: AccountClients;

  static async open(options: Partial<CodeHostOptions> = {}): Promise<Rehearsal> {
    const clock = new VirtualClock();
    const world = new World({ clock });
    return new Rehearsal(clock, world, clients(world, await administratorOf(world)), options);
  }

  private constructor(clock: VirtualClock, world: World, account: AccountClients, options: Partial<CodeHostOptions>) {
    this.clock = clock;
    this.engine = createEngine({ clock });
    this.host = new CodeHost(this.engine, { org, ...options });
    this.world = world;
    this.#clients = account;
    for (const name of ['hosted-1', 'hosted-2']) this.#hostRunner(name);
  }

  time(signal?: AbortSignal): Time {
    const { clock } = this;
    const pass = async (ms: number) => {
      await clock.advance(ms);
      signal?.throwIfAborted();
    };
    return {
      clock,
      now: () => clock.now(),
      pass,
      async during(open) {
        let over = false;
        const ended = open.finally(() => {
          over = true;
        });
        // A failure is thrown by `ended` alone.
        ended.catch(() => {});
        for (await clock.settle(); !over; ) await pass(500);
        return await ended;
      },
    };
  }

  parts(time: Time): Parts {
    const { apiUrl } = this.host;
    const token = 'ghp_experiments';
    this.host.credentials.addToken(token, { account: 'user ID 1', org, mayManageRunners: true });
    const credentials = tokenCredentials(async () => new Secret(token));
    const [fetch, random] = [asFetch(this.host.handle), new SeededRandom(this.clock.now())];
    const level = { kind: 'org', name: org } as const;
    const client = new PlatformClient({ apiUrl, level, credentials, clock: this.clock, fetch });
    return {
      github: {
        repository: new Repository({ client, name: `${org}/experiments`, branch: 'main', time, random }),
        sets: new ScaleSets({ client, credentials, apiUrl, time, random, fetch }),
      },
      aws: new Account(this.#clients, time),
    };
  }

  /** A runner of GitHub's own, which does what the script of a job says, as far as experiments have it. */
  #hostRunner(name: string): void {
    const { registry } = this.host;
    const { token } = registry.mintToken('registration', 'user ID 1', org);
    const { id } = registry.register({ token, name, labels: [hosted], groupId: 1 });
    const session: RunnerSession = {
      deliver: (job) => typeof connection !== 'string' && this.#carryOut(connection.run(job), job.script),
      revoked: () => {},
    };
    const connection = registry.connect(id, session);
    if (typeof connection === 'string') throw new Error(`the runner was refused: ${connection}`);
  }

  #carryOut(run: Run, script = ''): void {
    run.acquire();
    run.started();
    const [, seconds = '1'] = /^sleep (\d+)$/m.exec(script) ?? [];
    const result = /^exit 1$/m.test(script) ? 'failed' : 'succeeded';
    this.clock.after(Number(seconds) * 1_000, () => run.complete({ result }));
  }
}
