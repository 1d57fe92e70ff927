import { X509Certificate } from 'node:crypto';
import type { MachineView, ProcessContext } from '@drover/cloud-machines';
import { certificateFiles } from '@drover/core/names/search-cluster';
import { certificatesIn, type NodeCertificates, sortedName } from '@drover/search-cluster';

/** Elasticsearch looks at its certificate files every five seconds ("Update TLS certificates"). */
const watchedMs = 5_000;

interface Loaded {
  /** The content of the files before they changed last. */
  readonly before: NodeCertificates | undefined;
  readonly changedAt: number;
}

const changes = new WeakMap<ReadonlyMap<string, string>, Loaded>();

/** The files are about to change: a process that runs has them five seconds later. */
export function certificatesChange({ files }: MachineView, now: number): void {
  changes.set(files, { before: inFiles(files), changedAt: now });
}

/** A process that starts has what is in the files. */
export const certificatesLoaded = ({ files }: MachineView): void => void changes.delete(files);

/** The handshake of Elasticsearch on this machine. */
export function shownByElasticsearch({ machine, clock }: Pick<ProcessContext, 'machine' | 'clock'>): NodeCertificates {
  if (machine.serviceState('elasticsearch') !== 'active') throw new Error('connect: Connection refused');
  const shown = loadedBy(machine, clock.now());
  if (shown === undefined) throw new Error('there are no certificates');
  return shown;
}

export function loadedBy({ files }: Pick<MachineView, 'files'>, now: number): NodeCertificates | undefined {
  const change = changes.get(files);
  return change !== undefined && now - change.changedAt < watchedMs ? change.before : inFiles(files);
}

function inFiles(files: ReadonlyMap<string, string>): NodeCertificates | undefined {
  const [authorities, node] = [files.get(certificateFiles.authority), files.get(certificateFiles.node)];
  if (authorities === undefined || node === undefined) return undefined;
  return {
    trusts: certificatesIn(authorities).map((text) => sortedName(new X509Certificate(text).subject)),
    issuer: sortedName(new X509Certificate(node).issuer),
  };
}

/** With TLS on both sides of a connection each must trust who signed the other's certificate. */
export const trustEachOther = (one: NodeCertificates, other: NodeCertificates): boolean =>
  one.trusts.includes(other.issuer) && other.trusts.includes(one.issuer);
