import { resolve } from 'node:path';
import type { Served } from '@drover/cloud-engine';
import { TerminalError } from '@drover/core';
import type { DroverIo } from '../io.ts';
import { type Deployment, deploymentDigest, readDeployment } from './deployment.ts';
import { openConsole, openPort, openSearchPort, requirePorts } from './http/open-ports.ts';
import { consoleServer, pageFiles } from './http/server.ts';
import { Inputs } from './inputs.ts';
import { writeLocalEnv } from './local-env.ts';
import { LocalWorld } from './local-world.ts';
import { type LocalOptions, portsOf, requireNode } from './options.ts';
import { Session } from './session.ts';
import { playStory } from './story.ts';
import { synthesise } from './synthesise.ts';
import { WorldObserver } from './view/observe-world.ts';

interface Opened {
  readonly deployment: Deployment;
  readonly local: LocalWorld;
  readonly inputs: Inputs;
  readonly session: Session;
}

/** The exit code of a command that Ctrl-C ended before it was done. */
const interrupted = 130;

/** `drover local`: deploys the example, or an app's own cloud assembly, to the embedded cloud and serves it until Ctrl-C. */
export async function runLocal(io: DroverIo, options: LocalOptions): Promise<number> {
  requireNode(process.versions.node);
  if (!options.once) await requirePorts(portsOf(options));
  const opened = await unlessStopped(io.signal, open(io, options));
  if (opened === undefined) return interrupted;
  if (options.once) return (await unlessStopped(io.signal, playStory(io, opened.local))) ?? interrupted;
  return await serveUntilStopped(io, options, opened);
}

/** What the work comes to, or undefined as soon as Ctrl-C is pressed. */
const unlessStopped = <T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> =>
  Promise.race([work, stopped(signal).then(() => undefined)]);

async function open(io: DroverIo, options: LocalOptions): Promise<Opened> {
  const session = new Session(resolve(options.state));
  const { tooLong } = session;
  if (options.reset || options.once || tooLong) session.clear();
  if (tooLong) io.stderr('the last session has too many inputs to replay: this is a new one\n');
  const earlier = session.read();
  const given = options.assembly === undefined ? undefined : readDeployment(options.assembly);
  const digest = given === undefined ? 'example' : deploymentDigest(given);
  if (earlier !== undefined && (earlier.beginning.settings.deployment ?? 'example') !== digest)
    throw new TerminalError('the last session deployed something else', { remedy: 'start a new session with --reset' });
  const beginning = earlier?.beginning ?? {
    version: 1 as const,
    seed: options.seed,
    startedAt: io.clock.now(),
    // The story brings its own jobs.
    settings: {
      jobsPerHour: options.once ? 0 : options.jobsPerHour,
      spot: options.spot ? 1 : 0,
      deployment: digest,
    },
  };
  io.stderr(
    `${given === undefined ? 'synthesising the example' : 'reading the assembly'} and loading the embedded cloud\n`,
  );
  const platformApi = `http://127.0.0.1:${portsOf(options).platform}`;
  const choices = { platformApi, onDemandBaseCapacity: Number(beginning.settings.spot) === 1 ? 1 : undefined };
  const [deployment] = await Promise.all([given ?? synthesise(choices), LocalWorld.preload()]);
  if (earlier === undefined) session.begin(beginning);
  const local = new LocalWorld({
    deployment,
    seed: beginning.seed,
    startedAt: beginning.startedAt,
    speed: options.speed,
    jobsPerHour: Number(beginning.settings.jobsPerHour),
    realNow: () => io.clock.now(),
    realSleep: (ms) => io.clock.sleep(ms),
  });
  const inputs = new Inputs(local, session);
  io.stderr('deploying it: network, functions, groups, load balancers, secrets\n');
  await local.deploy();
  if (earlier !== undefined && earlier.endedAt > local.clock.now()) {
    const { length } = earlier.inputs;
    const inputsSaid = length === 1 ? 'one input' : `${length} inputs`;
    io.stderr(`resuming where the last session ended (${inputsSaid}); --reset starts a new one\n`);
    await inputs.replay(earlier.inputs, earlier.endedAt, (percent) => io.stderr(`${percent} % replayed\n`));
  }
  return { deployment, local, inputs, session };
}

async function serveUntilStopped(
  io: DroverIo,
  options: LocalOptions,
  { deployment, local, inputs, session }: Opened,
): Promise<number> {
  const ports = portsOf(options);
  const observer = new WorldObserver(local, io.clock);
  const servers: (Served | { close(): Promise<void> })[] = [];
  try {
    const aws = await openPort('AWS', '--aws-port', ports.aws, inputs.noted('aws'));
    servers.push(aws);
    const platform = await openPort('the platform', '--platform-port', ports.platform, inputs.noted('platform'));
    servers.push(platform);
    const search = await openSearchPort(ports.search, inputs.noted('search'));
    servers.push(search);
    const backend = {
      state: () => observer.latest(),
      nextState: (signal: AbortSignal) => observer.next(signal),
      control: (...given: Parameters<Inputs['control']>) => inputs.control(...given),
      lifeOf: (id: string) => local.lifeOf(id),
    };
    servers.push(await openConsole(ports.console, consoleServer(backend, pageFiles())));
    const { accessKeyId, secretAccessKey } = local.world.rootCredentials;
    const { hostname } = new URL(search.url);
    const file = writeLocalEnv(resolve(options.state), {
      aws: { url: aws.url, region: local.world.aws.region, accessKeyId, secretAccessKey },
      // The path of an Enterprise Server's API.
      platform: {
        url: `${platform.url}${new URL(deployment.fleet.platformApi).pathname.replace(/\/$/, '')}`,
        token: local.fleet.platformToken,
      },
      search: { host: hostname, port: search.port, password: local.cluster.elasticPassword() },
      stacks: { fleet: deployment.fleet.stack, cluster: deployment.cluster.stack },
    });
    observer.start();
    local.pace.start();
    const stopKeeping = keepTime(io, local, session);
    io.stdout(`drover local ready: console http://127.0.0.1:${ports.console}\n`);
    io.stderr(`for other shells: . ${file}\nCtrl-C stops; the next start resumes where this one ended\n`);
    local.watch.incidents.tellTo((line) => io.stdout(`${timeOfDay(local.clock.now())} ${line}\n`));
    await stopped(io.signal);
    stopKeeping();
    await local.pace.stop();
    session.reached(local.clock.now());
    io.stderr(`stopped at ${timeOfDay(local.clock.now())} simulated; the session is kept in ${options.state}\n`);
  } finally {
    observer.stop();
    await Promise.all(servers.map((server) => server.close()));
  }
  return 0;
}

/** Remembers every few seconds how far time has come, so that a session that was killed can go on too. */
function keepTime(io: DroverIo, local: LocalWorld, session: Session): () => void {
  const over = new AbortController();
  const keep = async () => {
    while (!over.signal.aborted) {
      await io.clock.sleep(2_000, over.signal);
      session.reached(local.clock.now());
    }
  };
  void keep().catch(() => {});
  return () => over.abort();
}

const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 19);

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve_) => {
    if (signal.aborted) return resolve_();
    signal.addEventListener('abort', () => resolve_(), { once: true });
  });
