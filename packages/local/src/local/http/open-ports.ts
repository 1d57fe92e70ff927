import { type HttpHandler, type Served, serve } from '@drover/cloud-engine';
import { TerminalError } from '@drover/core';
import { portError } from '@drover/observation/http/open-console';
import type { Ports } from '../options.ts';
import { isDrover, refuseSecondHere } from '../travel/running.ts';

/** Reports a port in use before anything is deployed. */
export async function requirePorts({ console, aws, platform, search }: Ports, folder?: string): Promise<void> {
  if (folder !== undefined) await refuseSecondHere(folder);
  await refuseSecond(console);
  const unavailable: HttpHandler = async () => ({ status: 503, headers: {}, body: '' });
  await (await openPort('the console', '--console-port', console, unavailable)).close();
  await (await openPort('AWS', '--aws-port', aws, unavailable)).close();
  await (await openPort('the platform', '--platform-port', platform, unavailable)).close();
  await (await openSearchPort(search, unavailable)).close();
}

/** The listener on the console's port may be another `drover local`. */
async function refuseSecond(port: number): Promise<void> {
  const address = `http://127.0.0.1:${port}`;
  if (!(await isDrover(address))) return;
  throw new TerminalError(`drover local already runs: ${address}`, {
    remedy: 'open that page, stop it first, or choose other ports with --port-base and --search-port',
  });
}

/** Serves on loopback; a port that is taken is an error that names the option. */
export async function openPort(
  what: string,
  option: string,
  port: number,
  handler: HttpHandler,
  host?: string,
): Promise<Served> {
  try {
    return await serve(handler, { port, ...(host === undefined ? {} : { host }) });
  } catch (error) {
    throw portError(error as NodeJS.ErrnoException, what, option, port);
  }
}

/** The command's own default address, or plain loopback on systems that have only that. */
export async function openSearchPort(port: number, handler: HttpHandler): Promise<Served> {
  try {
    return await openPort('search', '--search-port', port, handler, '127.0.1.1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRNOTAVAIL') throw error;
    return await openPort('search', '--search-port', port, handler, '127.0.0.1');
  }
}
