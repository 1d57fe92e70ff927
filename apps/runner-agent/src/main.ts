import {
  autoScalingSdk,
  callsThrough,
  sdkCalls,
  sdkProxy,
  secretsManagerSdk,
  signingAs,
} from '@drover/adapters/aws/sdk';
import { logs, s3, signedCalls } from '@drover/adapters/aws/signed';
import { DroverError, describeError, jsonLogger, RealClock, renderRefusal } from '@drover/core';
import { moduleVersion } from '@drover/core/names/version';
import { type AgentAws, abandon, runAgent } from './agent.ts';
import { parseCommandLine, usage } from './command-line.ts';
import { findConfig } from './config.ts';
import { cleanBeforeJob } from './host/clean-between-jobs.ts';
import { cleanUp } from './host/clean-up.ts';
import { addToOrder, drainOrderFile, parseOrder } from './host/drain-order.ts';
import { Hints, hintSocket, listenForHints, sendHint } from './host/hints.ts';
import { linuxKernel } from './host/linux-kernel.ts';
import { bootLog, countWorkers } from './host/runner-host.ts';
import { findFlaw } from './host/self-check.ts';
import { Watchdog, watchdogMs } from './host/watchdog.ts';
import { jobHookLine } from './logs/job-events.ts';

const clock = new RealClock();
const hints = new Hints(clock);
const kernel = linuxKernel(clock, hints);
const log = jsonLogger({ clock, write: (line) => process.stderr.write(`${line}\n`) });

async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      return void process.stdout.write(`${usage}\n`);
    case 'version':
      return void process.stdout.write(`runner-agent ${moduleVersion}\n`);
    case 'job-started':
    case 'job-completed':
      process.stdout.write(`${jobHookLine(command.kind, process.env)}\n`);
      return await (command.kind === 'job-started' ? beginJob() : makeRoom());
    case 'status':
      return printStatus();
    case 'check':
      return await check();
    case 'drain':
      kernel.writeFile(drainOrderFile, JSON.stringify(addToOrder(standingOrder(), command, clock.now())));
      return printStatus();
    case 'abandon':
      return await giveUp(command.reason);
    case 'run':
      return await run();
  }
}

const runtime = { clock, log, fetch: globalThis.fetch, aws };

/** The SDK, because it finds the credentials of the instance; other packages of it would triple the bundle for a few calls. */
function aws(region: string): AgentAws {
  const client = new autoScalingSdk.Client({ region, ...sdkProxy() });
  const signed = signingAs(client.config, process.env.AWS_ENDPOINT_URL);
  return {
    autoscaling: callsThrough(autoScalingSdk.commands, () => client),
    logs: signedCalls(logs, signed),
    s3: signedCalls(s3, signed),
    secretsmanager: sdkCalls(secretsManagerSdk, { region, ...sdkProxy() }),
  };
}

async function run(): Promise<void> {
  // Hints make the agent look sooner; it looks every second without them.
  await listenForHints(hintSocket, hints).catch((error: unknown) =>
    log.warn('no hints can be heard', { error: describeError(error) }),
  );
  const limitMs = watchdogMs(process.env);
  const config = findConfig(kernel.readFile);
  if (limitMs === undefined) return await runAgent(config, { ...runtime, kernel });
  const watchdog = new Watchdog({ clock, limitMs, notify });
  try {
    await runAgent(config, { ...runtime, kernel: watchdog.watching(kernel) });
  } finally {
    watchdog.stop();
  }
}

/**
 * sd_notify(3) by its program: Node has no datagram sockets of this kind. A notification that is lost is followed by
 * the next one.
 */
function notify(): void {
  void kernel.run({ file: 'systemd-notify', args: ['WATCHDOG=1'], timeoutMs: 10_000 });
}

async function beginJob(): Promise<void> {
  await sendHint(hintSocket);
  const clean = await cleanBeforeJob(kernel, clock, findConfig(kernel.readFile), process.pid);
  if (!clean) log.warn('processes of an earlier job do not end: this job runs beside them');
}

async function makeRoom(): Promise<void> {
  const removed = await cleanUp(kernel, clock, findConfig(kernel.readFile));
  if (removed.length > 0) log.info('made room on the disk', { removed });
}

async function giveUp(reason: string): Promise<void> {
  const decision = await abandon(findConfig(kernel.readFile), runtime, `${reason}\n${bootLog(kernel)}`.trimEnd());
  if (decision.kind !== 'refusal') return;
  process.stderr.write(`${renderRefusal(decision)}\n`);
  process.exitCode = 3;
}

async function check(): Promise<void> {
  const flaw = await findFlaw(kernel, findConfig(kernel.readFile));
  if (flaw === undefined) return;
  process.stdout.write(`${flaw}\n`);
  process.exitCode = 1;
}

const standingOrder = () => parseOrder(kernel.readFile(drainOrderFile));

function printStatus(): void {
  const workers = countWorkers(kernel, findConfig(kernel.readFile));
  const status = { at: new Date(clock.now()).toISOString(), workers, drain: standingOrder() ?? null };
  process.stdout.write(`${JSON.stringify(status)}\n`);
}

main().catch((error: unknown) => {
  const remedy = error instanceof DroverError ? error.remedy : undefined;
  log.error(describeError(error), remedy === undefined ? {} : { remedy });
  // A job hook must never fail a job.
  process.exitCode = process.argv[2]?.startsWith('job-') ? 0 : 1;
});
