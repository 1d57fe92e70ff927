import { existsSync, readFileSync } from 'node:fs';
import { autoScalingSdk, callsThrough, sdkCalls, secretsManagerSdk, signingAs } from '@drover/adapters/aws/sdk';
import { ec2, signedCalls } from '@drover/adapters/aws/signed';
import { DroverError, describeError, jsonLogger, RealClock, renderRefusal } from '@drover/core';
import { moduleVersion } from '@drover/core/names/version';
import { type AgentAws, abandon, runAgent } from './agent.ts';
import { parseCommandLine, usage } from './command-line.ts';
import { configFile, findConfig, readConfig } from './config.ts';
import { addToOrder, drainOrderFile, parseOrder } from './drain-order.ts';
import { Hints, hintSocket, listenForHints, sendHint } from './hints.ts';
import { countWorkers, leaveFile, linuxHost } from './linux-host.ts';

const clock = new RealClock();
const log = jsonLogger({ clock, write: (line) => process.stderr.write(`${line}\n`) });

async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2));
  switch (command.kind) {
    case 'help':
      return void process.stdout.write(`${usage}\n`);
    case 'version':
      return void process.stdout.write(`runner-agent ${moduleVersion}\n`);
    case 'job-started':
      return await sendHint(hintSocket);
    case 'status':
      return printStatus();
    case 'drain':
      leaveFile(drainOrderFile, JSON.stringify(addToOrder(standingOrder(), command, clock.now())));
      return printStatus();
    case 'abandon':
      return await giveUp(command.reason);
    case 'run':
      return await run();
  }
}

const runtime = { clock, log, fetch: globalThis.fetch, aws };

/** The SDK, because it finds the credentials of the instance; its EC2 package would triple the bundle for one call. */
function aws(region: string): AgentAws {
  const client = new autoScalingSdk.Client({ region });
  return {
    autoscaling: callsThrough(autoScalingSdk.commands, () => client),
    ec2: signedCalls(ec2, signingAs(client.config, process.env.AWS_ENDPOINT_URL)),
    secretsmanager: sdkCalls(secretsManagerSdk, { region }),
  };
}

async function run(): Promise<void> {
  const config = readConfig(readFileSync(configFile, 'utf8'));
  const hints = new Hints(clock);
  // Hints make the agent look sooner; it looks every second without them.
  await listenForHints(hintSocket, hints).catch((error: unknown) =>
    log.warn('no hints can be heard', { error: describeError(error) }),
  );
  await runAgent(config, { ...runtime, host: linuxHost(config, clock, hints) });
}

async function giveUp(reason: string): Promise<void> {
  const decision = await abandon(findConfig(readText), runtime, reason);
  if (decision.kind !== 'refusal') return;
  process.stderr.write(`${renderRefusal(decision)}\n`);
  process.exitCode = 3;
}

const readText = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
const standingOrder = () => parseOrder(readText(drainOrderFile));

function printStatus(): void {
  const status = { at: new Date(clock.now()).toISOString(), workers: countWorkers(), drain: standingOrder() ?? null };
  process.stdout.write(`${JSON.stringify(status)}\n`);
}

main().catch((error: unknown) => {
  const remedy = error instanceof DroverError ? error.remedy : undefined;
  log.error(describeError(error), remedy === undefined ? {} : { remedy });
  // The job hook must never fail a job.
  process.exitCode = process.argv[2] === 'job-started' ? 0 : 1;
});
