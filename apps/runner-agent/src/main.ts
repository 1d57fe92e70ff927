import { existsSync, readFileSync } from 'node:fs';
import { sdkClients } from '@drover/adapters/fleet/clients';
import { DroverError, describeError, jsonLogger, RealClock } from '@drover/core';
import { moduleVersion } from '@drover/core/names/version';
import { runAgent } from './agent.ts';
import { parseCommandLine, usage } from './command-line.ts';
import { configFile, readConfig } from './config.ts';
import { addToOrder, drainOrderFile, parseOrder } from './drain-order.ts';
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
      return leaveFile('/run/runner-agent/job-started', String(clock.now()));
    case 'status':
      return printStatus();
    case 'drain':
      leaveFile(drainOrderFile, JSON.stringify(addToOrder(standingOrder(), command, clock.now())));
      return printStatus();
    case 'run': {
      const config = readConfig(readFileSync(configFile, 'utf8'));
      const clients = (region: string) => sdkClients({ region });
      return await runAgent(config, { clock, log, fetch: globalThis.fetch, host: linuxHost(config, clock), clients });
    }
  }
}

const standingOrder = () => parseOrder(existsSync(drainOrderFile) ? readFileSync(drainOrderFile, 'utf8') : undefined);

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
