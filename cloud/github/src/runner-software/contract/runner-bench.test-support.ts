import type { Engine, HttpHandler } from '@drover/cloud-engine';
import type { WireSession } from '../../actions-service/wire-session.ts';
import type { CodeHost } from '../../code-host.ts';
import type { Job } from '../../model.ts';

/** One run of `Runner.Listener run`. */
export interface RunningListener {
  /** Its output so far. */
  output(): string;
  /** Undefined while it runs. */
  exitCode(): number | undefined;
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
}

/** A request of the listener, as GitHub saw it. */
export interface ListenerRequest {
  readonly what: 'poll' | 'acquire';
  /** Of a poll: Online or Busy. */
  readonly status?: string;
  readonly at: number;
  /** When GitHub responded. */
  until?: number;
  /** It brought a message. */
  message?: boolean;
  /** The listener did not wait for the response. */
  givenUp?: boolean;
}

/** Notes a request; the poll before that still waits was given up. */
export function noteRequest(requests: ListenerRequest[], request: ListenerRequest): ListenerRequest {
  const before = requests.findLast(({ what }) => what === 'poll');
  if (request.what === 'poll' && before !== undefined && before.until === undefined) before.givenUp = true;
  requests.push(request);
  return request;
}

/** Notes the requests that listeners send to a code host over HTTP. */
export function noting(
  host: CodeHost,
  { clock }: Engine,
  requests: ListenerRequest[],
  responding: (request: ListenerRequest) => void = () => {},
): HttpHandler {
  return async (request) => {
    const [, path] = /\/actions\/(broker\/message|run-service\/acquirejob)$/.exec(request.path) ?? [];
    if (path === undefined) return await host.handle(request);
    const status = new URLSearchParams(request.query).get('status');
    const what = path.startsWith('broker') ? 'poll' : 'acquire';
    const noted = noteRequest(requests, { what, at: clock.now(), ...(status && { status }) });
    const response = await host.handle(request);
    noted.until = clock.now();
    noted.message = what === 'poll' && response.status === 200;
    responding(noted);
    return response;
  };
}

/** A machine with the runner software and a code host that it reaches: simulated, or processes of this machine. */
export interface RunnerBench {
  readonly host: CodeHost;
  readonly engine: Engine;
  /** Host and port at which the machine finds the code host. */
  readonly address: string;
  /** The page of the organisation. */
  readonly url: string;
  /** Runs `config.sh` to its end. */
  config(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<{ code: number; output: string }>;
  listen(options?: { args?: readonly string[]; env?: Readonly<Record<string, string>> }): RunningListener;
  read(file: string): string | undefined;
  /** Names of files below the runner's root. */
  files(): readonly string[];
  write(file: string, text: string): void;
  remove(file: string): void;
  /** Sends a signal to the Worker that runs. */
  signalWorker(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
  workers(): number;
  /** A Worker has begun with its job. */
  works(): boolean;
  /** Variables that make the runner run a hook which ends with a code, or never; each call leaves a trace. */
  hook(name: 'STARTED' | 'COMPLETED', behaves: number | 'hangs'): Readonly<Record<string, string>>;
  hookCalls(): readonly string[];
  /** Whatever a Worker writes from now on fails. */
  fillDisk(): void;
  requests(): readonly ListenerRequest[];
  /** Another program takes the listener's session over: the next poll finds it invalid. */
  takeSession(): void;
  /** Takes everything away at once, and for good: on a real machine refused connections are refused. */
  goAway(how: keyof typeof away): Promise<void>;
  /** Lets time pass on the code host's clock. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until something holds; at most `mostMs`. */
  until(holds: () => boolean, mostMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface RunnerPlatform {
  readonly name: string;
  readonly kind: 'stand-in' | 'original';
  /** How much faster than real time its clock is. */
  readonly speed: number;
  /** Whether time passes only when a test lets it. */
  readonly exact: boolean;
  /** Whether every test is run, or only those that are for every platform. */
  readonly everything: boolean;
  /** `seed`: of chance on a simulated machine. */
  open(seed?: number): Promise<RunnerBench>;
}

export const seconds = 1_000;
export const minutes = 60_000;
export const usual = ({ url }: RunnerBench) => ['--unattended', '--url', url, '--name', 'runner'];

/** How GitHub is away. On the wire one operation cannot be refused alone: an error 500 is tried again as rarely. */
export const away = {
  refused: { kind: 'error', code: 'ECONNREFUSED' },
  unavailable: { kind: 'error', status: 503 },
  'no-answer': { kind: 'timeout' },
} as const;

/** Takes GitHub away; returns how to bring it back. */
export const outage = ({ engine }: RunnerBench, operation?: string, how: keyof typeof away = 'refused') =>
  engine.faults.add({ service: 'platform', ...(operation && { operation }), effect: away[how] });

export const tokenOf = ({ host }: RunnerBench) => ({
  ACTIONS_RUNNER_INPUT_TOKEN: host.registry.mintToken('registration').token,
});

/** Asks the Actions service for a runner of a new scale set, and holds a session so that the set gets jobs. */
export async function jitConfigOf({ host, address }: RunnerBench, scaleSet: string): Promise<string> {
  const { url, token } = host.scaleSetService.connect(host.org, address);
  const set = host.scaleSets.create(host.org, { name: scaleSet, groupId: 1, labels: [], disableUpdate: true })!;
  set.maxCapacity = 1;
  // However slow this machine is, the session lasts.
  host.scaleSets.openSession(set, 'bench')!.seenAt = Number.POSITIVE_INFINITY;
  const response = await host.handle({
    method: 'POST',
    host: new URL(url).host,
    path: `${new URL(url).pathname}_apis/runtime/runnerscalesets/${set.id}/generatejitconfig`,
    query: 'api-version=6.0-preview',
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from(JSON.stringify({ name: 'runner', workFolder: '_work' })),
  });
  return JSON.parse(String(response.body)).encodedJITConfig;
}

/** Configures the runner with what is usual. */
export async function configured(bench: RunnerBench, ...more: readonly string[]): Promise<void> {
  const { code, output } = await bench.config([...usual(bench), ...more], tokenOf(bench));
  if (code !== 0) throw new Error(output);
}

/** Configures the runner, starts its listener and waits until it listens. */
export async function listening(
  bench: RunnerBench,
  env: Readonly<Record<string, string>> = {},
  ...more: readonly string[]
): Promise<RunningListener> {
  await configured(bench, ...more);
  const listener = bench.listen({ env });
  await bench.until(() => listener.output().includes('Listening for Jobs'), 2 * minutes);
  return listener;
}

/** Gives the runner a job and waits until its Worker runs. */
export async function running(bench: RunnerBench, durationMs = 60 * minutes): Promise<Job> {
  const job = bench.host.registry.queue.enqueue({ durationMs });
  // On the wire a job runs from its first renewal on, a moment before its Worker is ready for signals.
  await bench.until(() => (job.state === 'running' && bench.works()) || job.endedAt !== undefined, 2 * minutes);
  return job;
}

export const ended = (bench: RunnerBench, listener: RunningListener, mostMs = 2 * minutes) =>
  bench.until(() => listener.exitCode() !== undefined, mostMs);

export const over = (bench: RunnerBench, job: Job, mostMs = 2 * minutes) =>
  bench.until(() => job.state === 'completed' || job.state === 'lost', mostMs);

/**
 * A test with a bench of its own. `always`: also where tests are slow and all of them were not asked for. `notOriginal`: why GitHub's own
 * program cannot be brought to it, `unless` it can here.
 */
export type On = (
  title: string,
  act: (bench: RunnerBench) => Promise<void>,
  when?: 'always' | { readonly notOriginal: string; readonly unless?: () => boolean },
) => void;

/** A file that .NET wrote begins with a mark of its byte order. */
export const readJson = (bench: RunnerBench, file: string): unknown =>
  JSON.parse(bench.read(file)!.replace(/^\uFEFF/, ''));

/** As GitHub shows it, which does not tell a runner that was stopped from steps that failed. */
export const failed = ({ state, result }: Job): boolean => state === 'lost' || result === 'failed';

/** Ends the session of a listener that polls over HTTP; another program holds one from then on. */
export function takeWireSession({ registry }: CodeHost): void {
  const [runner] = registry.runners;
  (runner!.session as WireSession).close();
  runner!.session = { deliver() {}, revoked() {} };
}

/** The files that make a runner configured. */
export const all = ['.credentials', '.credentials_rsaparams', '.runner'];
export const registered = ({ host }: RunnerBench) => host.registry.runners;
export const remaining = (bench: RunnerBench) => all.filter((name) => bench.read(name) !== undefined);
