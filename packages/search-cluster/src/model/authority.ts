/** One certificate of an authority that nodes trust. */
export interface Authority {
  /** Its name as certificates that it signed have it, e.g. `CN=logs node authority`. */
  readonly subject: string;
  readonly madeAt: number;
  readonly endsAt: number;
}

/**
 * How far an authority is replaced, read from its two secrets:
 * - `settled`: one is trusted, and it signs.
 * - `half-trusted`: a second one is trusted whose key is not there: nothing was signed by it.
 * - `trusted`: two are trusted, the old one signs.
 * - `half-signed`: the new one's key is in place, but not its certificate as the first.
 * - `signs`: two are trusted, the new one signs.
 */
export type AuthorityPhase = 'settled' | 'half-trusted' | 'trusted' | 'half-signed' | 'signs';

/** The act that leads from one phase to the next. */
export type AuthorityAct = 'trust' | 'sign' | 'forget';

export interface AuthorityState {
  readonly phase: AuthorityPhase;
  /** The first one signs. */
  readonly authorities: readonly Authority[];
  /** Of both secrets: an act is carried out only on what it was decided for. */
  readonly digest: string;
}

/** The newer of those that are trusted. */
export const newestOf = ({ authorities }: Pick<AuthorityState, 'authorities'>): Authority =>
  authorities.reduce((newest, each) => (each.madeAt > newest.madeAt ? each : newest));

/** The certificates of a file or secret, one text each. */
export const certificatesIn = (text: string): readonly string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/** The certificates in a TLS handshake with the transport port of a node. */
export interface NodeCertificates {
  /** The names of all authorities whose certificates it accepts. */
  readonly trusts: readonly string[];
  /** The name of the authority that signed its own. */
  readonly issuer: string;
}

/** A name with its parts in one order: OpenSSL and Node write them in opposite ones. */
export const sortedName = (name: string): string =>
  name
    .split(/[\n,]/)
    .map((part) => part.trim().replace(/\s*=\s*/, '='))
    .filter((part) => part !== '')
    .sort()
    .join(',');
