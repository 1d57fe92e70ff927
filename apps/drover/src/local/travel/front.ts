import type { Observation, Travel } from '@drover/console/api';
import { TerminalError } from '@drover/core';
import { openConsole } from '../http/open-ports.ts';
import { consoleServer, pageFiles } from '../http/server.ts';
import { Frames } from './frames.ts';

const everyMs = 500;

/** The page while a session is replayed: its last moment, which cannot be changed, and how far the replay is. */
export async function openFront(
  port: number,
  folder: string,
  last: Observation,
  travel: () => Travel,
): Promise<{ close(): Promise<void> }> {
  const backend = {
    state: async () => ({ ...last, travel: travel() }),
    control: async () => {
      throw new TerminalError('the session is still being replayed', { remedy: 'wait until it is at 100 %' });
    },
    lifeOf: () => [],
    frames: new Frames(folder),
    nextState: (signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const gone = () => {
          clearTimeout(timer);
          reject(new Error('gone'));
        };
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', gone);
          resolve();
        }, everyMs);
        signal.addEventListener('abort', gone);
      }),
  };
  return await openConsole(port, consoleServer(backend, pageFiles()));
}
