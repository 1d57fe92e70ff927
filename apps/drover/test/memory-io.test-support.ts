import { SeededRandom, VirtualClock } from '@drover/core';
import type { DroverIo } from '@drover/operator/io';
import { main } from '../src/main.ts';

export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The io of a command, and its output. */
export function memoryIo(outside: Pick<DroverIo, 'clock' | 'fetch' | 'aws'>) {
  const said = { stdout: '', stderr: '' };
  const io: DroverIo = {
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    env: {},
    random: new SeededRandom('operator'),
    signal: new AbortController().signal,
    ...outside,
  };
  return { io, said };
}

/** Runs a command that may need nothing of the outside. */
export async function droverAlone(...argv: string[]): Promise<Answer> {
  const unused = () => Promise.reject(new Error('nothing outside is needed'));
  const { io, said } = memoryIo({ clock: new VirtualClock(), fetch: unused, aws: unused });
  const exitCode = await main(argv, io);
  return { exitCode, ...said };
}
