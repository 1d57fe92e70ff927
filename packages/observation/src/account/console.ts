import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TerminalError } from '@drover/core';
import { type DroverIo, stopped } from '@drover/operator/io';
import { json } from '@drover/operator/render/table';
import { openConsole } from '../http/open-console.ts';
import { pageFiles } from '../http/page-files.ts';
import { consoleServer } from '../http/server.ts';
import type { OpenWhatIf } from '../http/what-if-routes.ts';
import { AccountObserver } from './account-observer.ts';
import { callBudget, withinBudget } from './call-budget.ts';
import { readPolicy } from './policy.ts';
import { openStacks, type StackOptions, type Watched } from './stacks.ts';

export { noWhatIf } from '../http/what-if-routes.ts';

export interface ConsoleOptions {
  readonly stack: readonly string[];
  readonly url?: string;
  readonly port: number;
  readonly printPolicy: boolean;
}

/** `drover console`: the page for stacks of an account, until Ctrl-C. It reads and changes nothing. */
export async function runConsole(io: DroverIo, options: ConsoleOptions, openWhatIf: OpenWhatIf): Promise<number> {
  const reading = readingIo(io);
  const watched = await openAccount(reading, { stacks: options.stack, url: options.url });
  if (options.printPolicy) {
    io.stdout(json(readPolicy(watched)));
    return 0;
  }
  await serve(reading, options.port, watched, openWhatIf);
  return 0;
}

/** The same outside, with every call to AWS within the budget. */
export function readingIo(io: DroverIo): DroverIo {
  const budget = callBudget(io.clock);
  let clients: ReturnType<DroverIo['aws']> | undefined;
  const aws = () => {
    clients ??= io.aws().then((made) => withinBudget(made, budget));
    return clients;
  };
  return { ...io, aws };
}

async function serve(io: DroverIo, port: number, watched: Watched, openWhatIf: OpenWhatIf): Promise<void> {
  const observer = new AccountObserver(io, watched);
  // Results are kept for as long as it runs.
  const folder = mkdtempSync(join(tmpdir(), 'drover-console-'));
  const whatIf = openWhatIf({ folder, inputs: () => observer.fleetInputs() });
  const backend = {
    state: () => observer.latest(),
    nextState: (signal: AbortSignal) => observer.next(signal),
    control: undefined,
    lifeOf: (id: string) => observer.lifeOf(id),
    whatIf,
  };
  const server = await openConsole(port, consoleServer(backend, pageFiles()), '--port');
  observer.start();
  io.stdout(`drover console ready: http://127.0.0.1:${port}\n`);
  io.stderr('it only reads; Ctrl-C stops it\n');
  await stopped(io.signal);
  observer.stop();
  whatIf.stop();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Opens the account; common first errors have a remedy. */
async function openAccount(io: DroverIo, options: StackOptions): Promise<Watched> {
  try {
    return await openStacks(io, options);
  } catch (error) {
    const { name, message } = error as Error;
    const remedy = remedies.find(([pattern]) => pattern.test(`${name} ${message}`))?.[1];
    if (error instanceof TerminalError || remedy === undefined) throw error;
    throw new TerminalError(message.split('\n')[0] ?? name, { remedy });
  }
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /CredentialsProviderError|Could not load credentials/i,
    'give the credentials of a role that may read the stacks, by AWS_PROFILE or the usual variables; aws sts get-caller-identity shows whose they are',
  ],
  [/Region is missing/i, 'set AWS_REGION to the region of the stacks'],
  [/ExpiredToken|expired/i, 'log in again, for example with aws sso login'],
  [
    /AccessDenied|not authorized/i,
    'a user who may read the stacks can print what the role needs: drover console --stack NAME --print-policy',
  ],
  [
    /InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch/i,
    'AWS does not know these credentials: check AWS_PROFILE',
  ],
];
