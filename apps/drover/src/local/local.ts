import { resolve } from 'node:path';
import { type DroverIo, stopped } from '../io.ts';
import { requirePorts } from './http/open-ports.ts';
import { type LocalOptions, portsOf, requireNode } from './options.ts';
import { Session } from './session.ts';

/** The exit code of a command that Ctrl-C ended before it was done. */
const interrupted = 130;

/** `drover local`: deploys the example to the embedded cloud and serves it until Ctrl-C. */
export async function runLocal(io: DroverIo, options: LocalOptions): Promise<number> {
  requireNode(process.versions.node);
  if (!options.once) await requirePorts(portsOf(options));
  const session = openSession(io, options);
  const earlier = session.read();
  const stop = stopped(io.signal);
  const unlessStopped = <T>(work: Promise<T>): Promise<T | undefined> =>
    Promise.race([work, stop.then(() => undefined)]);
  // The cloud takes seconds to load: what can be refused was refused before.
  const world = await unlessStopped(import('./open-world.ts'));
  const opened = world && (await unlessStopped(world.openWorld(io, options, session, earlier)));
  if (opened === undefined) return interrupted;
  if (options.once) return (await unlessStopped(world!.playStory(io, opened.local))) ?? interrupted;
  await world!.serveUntil(stop, io, options, opened);
  return 0;
}

function openSession(io: DroverIo, options: LocalOptions): Session {
  const session = new Session(resolve(options.state));
  const { tooLong } = session;
  if (options.reset || options.once || tooLong) session.clear();
  if (tooLong) io.stderr('the last session has too many inputs to replay: this is a new one\n');
  return session;
}
