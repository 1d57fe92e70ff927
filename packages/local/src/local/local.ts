import { resolve } from 'node:path';
import { exitCodes } from '@drover/operator/exit-codes';
import { type DroverIo, stopped } from '@drover/operator/io';
import { requirePorts } from './http/open-ports.ts';
import { type LocalOptions, portsOf, requireNode } from './options.ts';
import { Session } from './session.ts';

/** `drover local`: deploys the example to the embedded cloud and serves it until Ctrl-C. */
export async function runLocal(io: DroverIo, options: LocalOptions): Promise<number> {
  requireNode(process.versions.node);
  if (!options.once) await requirePorts(portsOf(options), resolve(options.state));
  const session = openSession(io, options);
  session.read();
  const stop = stopped(io.signal);
  // Everything that can be refused was refused before: the rest takes seconds.
  await io.prepare?.();
  if (options.once) return await playOnce(io, options, session, stop);
  return await (await import('./travel/supervise.ts')).supervise(io, options, stop);
}

async function playOnce(io: DroverIo, options: LocalOptions, session: Session, stop: Promise<void>): Promise<number> {
  const unlessStopped = <T>(work: Promise<T>): Promise<T | undefined> =>
    Promise.race([work, stop.then(() => undefined)]);
  const world = await unlessStopped(import('./open-world.ts'));
  const opened = world && (await unlessStopped(world.openWorld(io, options, session)));
  if (opened === undefined) return exitCodes.interrupted;
  return (await unlessStopped(world!.playStory(io, opened.local))) ?? exitCodes.interrupted;
}

function openSession(io: DroverIo, options: LocalOptions): Session {
  const session = new Session(resolve(options.state));
  const { tooLong } = session;
  if (options.reset || options.once || tooLong) session.clear();
  if (tooLong) io.stderr('the last session has too many inputs to replay: this is a new one\n');
  return session;
}
