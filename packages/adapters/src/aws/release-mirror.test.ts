import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import type { ObjectBytes } from './calls/calls.ts';
import { releaseMirror } from './release-mirror.ts';
import { scriptedCalls } from './scripted-calls.test-support.ts';

const release = { version: '2.336.0', checksum: 'a'.repeat(64), url: 'https://example.com/runner', bytes: 6 };
const never = new Promise<never>(() => {});

/** The outcome of a copy from a server that responds so, after half a minute. */
async function copyFrom(respond: () => Promise<Response>): Promise<unknown> {
  const clock = new VirtualClock();
  const received: string[] = [];
  const { aws } = scriptedCalls({
    PutObject: async ({ Body }: { readonly Body: ObjectBytes }) => {
      for await (const chunk of await Body.open()) received.push(Buffer.from(chunk).toString());
      return {};
    },
  });
  const copied = releaseMirror(aws, 'bucket', { clock, fetch: respond }).copy(release);
  const outcome = copied.then(
    () => received.join(''),
    (error: Error) => [error.name, error.message],
  );
  await clock.advance(30_000);
  return await Promise.race([outcome, clock.advance(30_000).then(() => 'it still waits')]);
}

async function* body(chunks: readonly string[], end: Promise<void>) {
  for (const chunk of chunks) yield Buffer.from(chunk);
  await end;
}
const response = (stream: AsyncIterable<Uint8Array>) =>
  Promise.resolve({ ok: true, status: 200, body: stream } as unknown as Response);

it('an archive is copied as it comes', async () => {
  expect(await copyFrom(() => response(body(['abc', 'def'], Promise.resolve())))).toBe('abcdef');
});

it.each([
  ['before its response', () => never],
  ['in the middle of it', () => response(body(['abc'], never))],
] as const)('a server that falls silent %s fails the copy of an archive after half a minute', async (_, respond) => {
  expect(await copyFrom(respond)).toEqual(['TransientError', expect.stringContaining('nothing came for 30 s')]);
});
