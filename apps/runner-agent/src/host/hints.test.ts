import { mkdtempSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock, VirtualClock } from '@drover/core';
import { afterEach, expect, it } from 'vitest';
import { Hints, listenForHints, sendHint } from './hints.ts';

const folder = mkdtempSync(join(tmpdir(), 'hints-'));
let server: Server | undefined;
afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a connection of any user wakes the agent', async () => {
  const path = join(folder, 'agent', 'hints.sock');
  const hints = new Hints(new RealClock());
  server = await listenForHints(path, hints);
  const woken = hints.wait(60_000);

  await sendHint(path);
  await woken;

  expect(statSync(path).mode & 0o777).toBe(0o666);
});

it('a hint succeeds without an agent', async () => {
  await expect(sendHint(join(folder, 'nobody.sock'))).resolves.toBeUndefined();
});

it('a wait ends by itself, and many hints count as one', async () => {
  const clock = new VirtualClock(0);
  const hints = new Hints(clock);
  const ended: number[] = [];
  const wait = async () => {
    await hints.wait(5_000);
    ended.push(clock.now());
  };

  const first = wait();
  hints.hint();
  await first;
  const second = wait();
  hints.hint();
  hints.hint();
  await clock.advance(5_000);
  await second;

  expect(ended).toEqual([0, 5_000]);
});
