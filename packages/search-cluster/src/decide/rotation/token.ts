import { dayMs, hourMs } from '@drover/core';
import type { SecretVersion } from '../../ports.ts';

/** A version of the secret of Kibana's token. */
export interface TokenVersion extends Pick<SecretVersion, 'id'> {
  /** Of its token; undefined if the value is none. */
  readonly name: string | undefined;
  readonly letsIn: boolean;
}

/** The label that a web UI keeps on the version whose token all its tasks have. */
export interface TokenUse {
  readonly label: string;
  readonly versionId: string;
  readonly name: string | undefined;
}

export interface TokenFacts {
  readonly current: TokenVersion | undefined;
  readonly pending: TokenVersion | undefined;
  readonly uses: readonly TokenUse[];
  /** The names of all tokens that Elasticsearch knows. */
  readonly names: readonly string[];
  /** Age in days at which another one is made; undefined: never. */
  readonly everyDays: number | undefined;
}

export type TokenStep =
  | { readonly kind: 'create' | 'promote' | 'none' }
  | { readonly kind: 'delete'; readonly name: string };

/** Longer than a master takes from a token to the secret, and than the tasks of a web UI that gives no label take to be replaced. */
const graceMs = hourMs;

/**
 * The next step with Kibana's tokens. Two are valid from the moment on when another one is made until every web UI has
 * said by its label that its tasks have the new one. What a run that died has left is a token in no version that is in use,
 * or a version that is not current yet: the next run deletes the one and promotes the other.
 */
export function decideToken({ current, pending, uses, names, everyDays }: TokenFacts, now: number): TokenStep {
  const isNew = pending !== undefined && pending.id !== current?.id && pending.letsIn;
  if (isNew) return { kind: 'promote' };
  if (current === undefined || !current.letsIn) return { kind: 'create' };
  if (pending?.id === current.id) return { kind: 'promote' };
  const isConfirmed = uses.some(({ versionId }) => versionId === current.id);
  if (!isConfirmed || now - madeAt(current.name) < graceMs) return { kind: 'none' };
  const inUse = new Set([current, pending, ...uses].map((version) => version?.name));
  const others = names.filter((name) => ownName.test(name) && !inUse.has(name));
  const over = others.find((name) => now - madeAt(name) >= graceMs);
  if (over !== undefined) return { kind: 'delete', name: over };
  const isSettled = others.length === 0 && uses.every(({ versionId }) => versionId === current.id);
  const isDue = everyDays !== undefined && now - madeAt(current.name) >= everyDays * dayMs;
  return { kind: isSettled && isDue ? 'create' : 'none' };
}

/** Tokens of other names are not Drover's. */
const ownName = /^drover-(\d+)$/;

/** The name of a token that is made now. */
export const tokenName = (now: number): string => `drover-${now}`;

const madeAt = (name = ''): number => Number(ownName.exec(name)?.[1] ?? Number.NaN);

/** In the value are four bytes, `elastic/kibana/NAME` and the secret, in base64. */
export function nameInToken(value: string): string | undefined {
  const text = Buffer.from(value, 'base64').subarray(4).toString();
  return /^elastic\/kibana\/([\w-]+):/.exec(text)?.[1];
}
