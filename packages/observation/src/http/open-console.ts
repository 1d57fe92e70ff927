import { TerminalError } from '@drover/core';
import { serve as serveHono } from '@hono/node-server';
import type { Hono } from 'hono';

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
    server.once('error', (error: NodeJS.ErrnoException) => reject(portError(error, 'the console', option, port)));
  });
}

/** Why a port could not be opened, with the option that chooses another. */
export function portError(error: NodeJS.ErrnoException, what: string, option: string, port: number): Error {
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
