import { type HttpHandler, type Served, serve } from '@drover/cloud-engine';
import { TerminalError } from '@drover/core';
import { serve as serveHono } from '@hono/node-server';
import type { Hono } from 'hono';
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

/** What listens on the console's port may be another `drover local`. */
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
    throw explained(error as NodeJS.ErrnoException, what, option, port);
  }
}

function explained(error: NodeJS.ErrnoException, what: string, option: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new TerminalError(`port ${port} for ${what} is taken`, {
      remedy: `stop what listens there, or choose another with ${option}${option === '--port' ? '' : ' (--port-base moves the first three)'}`,
    });
  if (error.code === 'EACCES')
    return new TerminalError(`port ${port} for ${what} may not be opened`, {
      remedy: `choose one above 1023 with ${option}`,
    });
  return error;
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

/** The page and its API. */
export function openConsole(port: number, app: Hono, option = '--console-port'): Promise<{ close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = serveHono({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
      resolve({
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      });
    });
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, 'the console', option, port)));
  });
}
