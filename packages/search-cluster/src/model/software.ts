/** The software of search nodes: programs, their Node and the Puppet tree. */
export interface Software {
  readonly version: string;
  /** Of everything else: two with the same digest are the same. */
  readonly digest: string;
  readonly archives: readonly SoftwareArchive[];
}

export interface SoftwareArchive {
  /** In the state bucket. */
  readonly key: string;
  readonly sha256: string;
  /** Only what begins with this is unpacked, without it. */
  readonly prefix: string;
  /** Below /opt/drover. */
  readonly into: string;
}

/** The software that every node should have, with the way back. */
export interface SoftwarePointer extends Software {
  readonly before?: Software;
}

const plain = ({ version, digest, archives }: Software): Software => ({ version, digest, archives });

/** The pointer for other software. One that goes back has no further way back: a second call must not go forward again. */
export function pointTo(current: SoftwarePointer | undefined, wanted: Software): SoftwarePointer {
  if (current === undefined || current.before?.digest === wanted.digest) return plain(wanted);
  return current.digest === wanted.digest ? current : { ...plain(wanted), before: plain(current) };
}

/** How far an instance is with its software, as its tag says. */
export interface SoftwareReport {
  readonly digest: string;
  readonly state: 'taking' | 'taken' | 'failed';
  readonly because?: string;
}

/** Tags hold 256 characters (EC2 API Reference, Tag). */
const longestTag = 256;

export const reportText = ({ digest, state, because }: SoftwareReport): string =>
  `${digest} ${state}${because === undefined ? '' : `: ${because.replaceAll(/\s+/g, ' ')}`}`.slice(0, longestTag);

/** Undefined for an instance that has never said anything. */
export function reportIn(text: string | undefined): SoftwareReport | undefined {
  const [, digest, state, because] = /^(\S+) (taking|taken|failed)(?:: (.*))?$/.exec(text ?? '') ?? [];
  if (digest === undefined || state === undefined) return undefined;
  return { digest, state: state as SoftwareReport['state'], ...(because === undefined ? {} : { because }) };
}
