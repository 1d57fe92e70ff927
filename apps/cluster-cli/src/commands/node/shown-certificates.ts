import { describeError, TerminalError, waitFor } from '@drover/core';
import { certificateFiles, ports } from '@drover/core/names/search-cluster';
import { certificatesIn, type NodeCertificates, sortedName } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { recordTable } from '../../render/table.ts';

/** Elasticsearch looks at its files every five seconds; a node that has just started listens a little later. */
const waitMs = 120_000;
const pauseMs = 2_000;

/** Prints what Elasticsearch shows at its transport port, once that is what its files say. */
export async function shownCertificates(context: Context): Promise<number> {
  const { clock, handshake, signal } = context.io;
  if (handshake === undefined) throw new TerminalError('there is no Elasticsearch on this host');
  const address = await context.metadata.privateIp();
  const wanted = await inFiles(context);
  const end = await waitFor<NodeCertificates, never, NodeCertificates>({
    clock,
    signal,
    pauseMs: () => pauseMs,
    deadlineAt: clock.now() + waitMs,
    gather: () => handshake(address, ports.transport),
    onGatherError: (error) => context.progress.show({ because: describeError(error) }),
    decide: (seen) =>
      isSame(seen, wanted)
        ? { kind: 'done', outcome: seen }
        : { kind: 'wait', because: `Elasticsearch still shows ${describe(seen)}, its files say ${describe(wanted)}` },
    apply: async () => {},
    onWait: (because) => context.progress.show({ because }),
  });
  if (end.kind === 'timed-out') {
    context.log.error(`timed out: ${end.because}`);
    return exitCodes.timedOut;
  }
  const { outcome } = end;
  const rows = outcome.trusts.map((authority) => ({
    authority,
    signed: authority === outcome.issuer ? 'this node' : '',
  }));
  await context.print(outcome, () => recordTable(rows, 'authority', 'signed'));
  return exitCodes.done;
}

async function inFiles({ io: { files } }: Context): Promise<NodeCertificates> {
  // Loaded here: every run of every command would pay for it otherwise. Not by `import`, which takes real time in a simulation at each call.
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const [authorities, node] = [await files.read(certificateFiles.authority), await files.read(certificateFiles.node)];
  if (authorities === undefined || node === undefined)
    throw new TerminalError('this node has no certificate yet', { remedy: 'run /opt/drover/bin/configure' });
  return {
    trusts: certificatesIn(authorities).map((text) => sortedName(new X509Certificate(text).subject)),
    issuer: sortedName(new X509Certificate(node).issuer),
  };
}

const isSame = (one: NodeCertificates, other: NodeCertificates) =>
  one.issuer === other.issuer && [...one.trusts].sort().join() === [...other.trusts].sort().join();

const describe = ({ issuer, trusts }: NodeCertificates) =>
  `a certificate of ${issuer} and trust in ${trusts.join(' and ')}`;
