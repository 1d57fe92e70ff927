import { TerminalError } from '@drover/core';
import type { Observation, Travel } from '@drover/observation/api';
import { openConsole } from '@drover/observation/http/open-console';
import { pageFiles } from '@drover/observation/http/page-files';
import { consoleServer } from '@drover/observation/http/server';
import { WhatIfDesk } from '../../what-if/desk/desk.ts';
import { Session } from '../session.ts';
import { coursesOf } from './courses.ts';
import { Frames } from './frames.ts';

const everyMs = 500;

/** The page while a session is replayed: its last moment, which cannot be changed, how far the replay is, and the way to start over. */
export async function openFront(
  port: number,
  folder: string,
  last: Observation,
  travel: () => Travel,
  startOver: () => void,
): Promise<{ close(): Promise<void> }> {
  const session = new Session(folder);
  const courses = coursesOf(session);
  const backend = {
    state: async () => ({ ...last, travel: travel(), courses }),
    control: async () => {
      throw new TerminalError('the session is still being replayed', { remedy: 'wait until it is at 100 %' });
    },
    lifeOf: () => [],
    branch: startOver,
    frames: new Frames(folder),
    whatIf: new WhatIfDesk({
      folder: session.whatIfFolder,
      inputs: () => 'The session is still being replayed. Questions can be asked as soon as it is at 100 %.',
    }),
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
