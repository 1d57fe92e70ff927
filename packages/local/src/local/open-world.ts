import type { Served } from '@drover/cloud-engine';
import { TerminalError } from '@drover/core';
import type { Observation, Travel } from '@drover/observation/api';
import { openConsole } from '@drover/observation/http/open-console';
import { pageFiles } from '@drover/observation/http/page-files';
import { consoleServer } from '@drover/observation/http/server';
import type { DroverIo } from '@drover/operator/io';
import { paint } from '@drover/operator/render/colour';
import { printWarnings } from '../synth/warnings.ts';
import { WhatIfDesk } from '../what-if/desk/desk.ts';
import { deploymentDigest, readDeployment } from './deployment.ts';
import { openPort, openSearchPort } from './http/open-ports.ts';
import { Inputs } from './inputs.ts';
import { writeLocalEnv } from './local-env.ts';
import { LocalWorld } from './local-world.ts';
import { deployedInputs } from './observed-fleet.ts';
import { type LocalOptions, portsOf } from './options.ts';
import type { Beginning, Session } from './session.ts';
import { type ExampleChoices, type OwnInputs, readOwnInputs, synthesise } from './synthesise.ts';
import { coursesOf } from './travel/courses.ts';
import { Frames } from './travel/frames.ts';
import { Marks } from './travel/marks.ts';
import type { OpenedWorld } from './travel/opened-world.ts';
import { resume } from './travel/resume.ts';
import { timeOfDay } from './travel/time-of-day.ts';
import { WorldObserver } from './view/observe-world.ts';
import { openings } from './view/openings.ts';

export { playStory } from './story.ts';

/** Deploys the world, and plays what came in again if there is an earlier session. */
export async function openWorld(
  io: DroverIo,
  options: LocalOptions,
  session: Session,
  progress: (percent: number) => void = () => {},
): Promise<OpenedWorld> {
  const earlier = session.read();
  const given = options.assembly === undefined ? undefined : readDeployment(options.assembly);
  const digest = given === undefined ? 'example' : deploymentDigest(given);
  if (earlier !== undefined && (earlier.beginning.settings.deployment ?? 'example') !== digest)
    throw new TerminalError('the last session deployed something else', { remedy: 'start a new session with --reset' });
  const lastMode = earlier === undefined ? undefined : (earlier.beginning.settings.mode ?? 'idle');
  if (lastMode !== undefined && given === undefined && (options.mode ?? lastMode) !== lastMode)
    throw new TerminalError(`the fleet of the last session scales on ${lastMode}`, {
      remedy: 'start a new session with --reset',
    });
  if (options.types && earlier !== undefined && Number(earlier.beginning.settings.types ?? 0) === 0)
    throw new TerminalError('the fleet of the last session has no types', {
      remedy: 'start a new session with --reset',
    });
  const own = await ownInputs(options, earlier?.beginning);
  const beginning: Beginning = earlier?.beginning ?? {
    version: 1,
    seed: options.seed,
    startedAt: io.clock.now(),
    ...(Object.keys(own).length === 0 ? {} : { own }),
    // The story brings its own jobs.
    settings: {
      jobsPerHour: options.once ? 0 : options.jobsPerHour,
      spot: options.spot ? 1 : 0,
      mode: options.mode ?? (options.types ? 'jobs' : 'idle'),
      ...(options.types ? { types: 1 } : {}),
      deployment: digest,
    },
  };
  io.stderr(
    `${given === undefined ? `synthesising ${Object.keys(own).length === 0 ? 'the example' : 'your files'}` : 'reading the assembly'} and loading the embedded cloud\n`,
  );
  const platformApi = `http://127.0.0.1:${portsOf(options).platform}`;
  const choices: ExampleChoices = {
    platformApi,
    own,
    onDemandBaseCapacity: Number(beginning.settings.spot) === 1 ? 1 : undefined,
    scalingMode: beginning.settings.mode === 'jobs' ? 'jobs' : 'idle',
    types: Number(beginning.settings.types ?? 0) === 1,
  };
  const [deployment] = await Promise.all([given ?? synthesise(choices), LocalWorld.preload()]);
  if (earlier === undefined) {
    session.begin(beginning);
    if (given !== undefined || Object.keys(own).length > 0) printWarnings(io, deployment.assembly);
  }
  const deploy = async (quickReplay: boolean): Promise<OpenedWorld> => {
    const local = new LocalWorld({
      deployment,
      quickReplay,
      resynthesise: given === undefined ? (changed) => synthesise(choices, changed) : undefined,
      seed: beginning.seed,
      startedAt: beginning.startedAt,
      speed: options.speed,
      jobsPerHour: Number(beginning.settings.jobsPerHour),
      realNow: () => io.clock.now(),
      realSleep: (ms) => io.clock.sleep(ms),
    });
    io.stderr('deploying it: network, functions, groups, load balancers, secrets\n');
    await local.deploy();
    return { deployment, local, inputs: new Inputs(local, session), session };
  };
  return earlier === undefined ? await deploy(false) : await resume(io, deploy, earlier, progress);
}

/** The inputs of `--fleet` and `--cluster`, or those of the earlier session without them. */
async function ownInputs(options: LocalOptions, earlier: Beginning | undefined): Promise<OwnInputs> {
  const own = await readOwnInputs(options);
  if (earlier === undefined) return own;
  const before = earlier.own ?? {};
  if (Object.keys(own).length > 0 && JSON.stringify(own) !== JSON.stringify(before))
    throw new TerminalError('the last session deployed other inputs', { remedy: 'start a new session with --reset' });
  return before;
}

/** How a world that is served speaks with who started it. */
export interface Attendant {
  ready(): void;
  /** Asked for another course of events from that moment on. */
  branch(at: number): void;
  /** Asked for a course of events that was left. */
  returnTo(course: number): void;
  /** How far that is. */
  travel(): Travel | undefined;
}

/** Serves page, AWS, platform and search until `stop` resolves. */
export async function serveUntil(
  stop: Promise<void>,
  io: DroverIo,
  options: LocalOptions,
  { deployment, local, inputs, session }: OpenedWorld,
  attendant: Attendant,
): Promise<void> {
  const ports = portsOf(options);
  const frames = new Frames(session.folder);
  let newest: Observation | undefined;
  const observer = new WorldObserver(local, io.clock, (state) => {
    newest = state;
    frames.note(state);
  });
  const servers: (Served | { close(): Promise<void> })[] = [];
  const whatIf = new WhatIfDesk({
    folder: session.whatIfFolder,
    inputs: () => deployedInputs(local.liveInputs.deployment),
  });
  const courses = coursesOf(session);
  try {
    const aws = await openPort('AWS', '--aws-port', ports.aws, inputs.noted('aws'));
    servers.push(aws);
    const platform = await openPort('the platform', '--platform-port', ports.platform, inputs.noted('platform'));
    servers.push(platform);
    const search = await openSearchPort(ports.search, inputs.noted('search'));
    servers.push(search);
    const backend = {
      state: async () => ({ ...(await observer.latest()), travel: attendant.travel(), courses }),
      nextState: (signal: AbortSignal) => observer.next(signal),
      control: (...given: Parameters<Inputs['control']>) => {
        // The frame from right before an incident stays.
        if (openings[given[0]] !== undefined && newest !== undefined) frames.keep(newest);
        return inputs.control(...given);
      },
      lifeOf: (id: string) => local.lifeOf(id),
      frames,
      branch: (at: number) => attendant.branch(at),
      returnTo: (course: number) => attendant.returnTo(course),
      whatIf,
    };
    servers.push(await openConsole(ports.console, consoleServer(backend, pageFiles())));
    const { accessKeyId, secretAccessKey } = local.world.rootCredentials;
    const { hostname } = new URL(search.url);
    const file = writeLocalEnv(session.folder, {
      aws: { url: aws.url, region: local.world.aws.region, accessKeyId, secretAccessKey },
      console: `http://127.0.0.1:${ports.console}`,
      // The path of an Enterprise Server's API.
      platform: {
        url: `${platform.url}${new URL(deployment.fleet.platformApi).pathname.replace(/\/$/, '')}`,
        token: local.fleet.platformToken,
      },
      search: { host: hostname, port: search.port, password: local.cluster.elasticPassword() },
      stacks: { fleet: deployment.fleet.stack, cluster: deployment.cluster.stack },
    });
    observer.start();
    const marks = new Marks(local, session);
    local.pace.onStep = () => marks.note();
    local.pace.start();
    const stopKeeping = keepTime(io, local, session);
    attendant.ready();
    io.stdout(`drover local ready: console http://127.0.0.1:${ports.console}\n`);
    io.stderr(`for other shells: . ${file}\nCtrl-C stops; the next start resumes where this one ended\n`);
    local.watch.announceTo((line) => io.stdout(`${timeOfDay(local.clock.now())} ${coloured(io, line)}\n`));
    await stop;
    stopKeeping();
    await local.pace.stop();
    marks.end();
    if (newest !== undefined) frames.keep(newest);
    session.reached(local.clock.now());
    io.stderr(`stopped at ${timeOfDay(local.clock.now())} simulated; the session is kept in ${options.state}\n`);
  } finally {
    observer.stop();
    whatIf.stop();
    await Promise.all(servers.map((server) => server.close()));
  }
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

/** Bad news in red, good ends in green. */
function coloured(io: DroverIo, line: string): string {
  if (/^ended well|is over$|is green/.test(line)) return paint(io, 'green', line);
  return /^ENDED BADLY|went off$|was lost|is red|no master/.test(line) ? paint(io, 'red', line) : line;
}
