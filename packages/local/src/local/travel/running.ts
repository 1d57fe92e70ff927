import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '@drover/core';

const file = (folder: string) => join(folder, 'running.json');

/** Notes that this process serves the session in the folder; the result takes it back. */
export function noteRunning(folder: string, url: string): () => void {
  writeFileSync(file(folder), JSON.stringify({ pid: process.pid, url }));
  return () => rmSync(file(folder), { force: true });
}

/** Two processes with one session would spoil it. */
export async function refuseSecondHere(folder: string): Promise<void> {
  const running = readRunning(folder);
  if (running === undefined || !isAlive(running.pid) || !(await isDrover(running.url))) return;
  throw new TerminalError(`drover local already runs here: ${running.url} (pid ${running.pid})`, {
    remedy: 'open that page, stop it first, or name another folder with --state and other ports with --port-base',
  });
}

/** Whether the console of a `drover local` is served there. */
export async function isDrover(url: string): Promise<boolean> {
  const page = await fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
    (response) => response.text(),
    () => '',
  );
  return page.includes('<title>Drover');
}

function readRunning(folder: string): { readonly pid: number; readonly url: string } | undefined {
  try {
    return JSON.parse(readFileSync(file(folder), 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
