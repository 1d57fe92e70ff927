import { type Refusal, refuse } from '@drover/core';
import type { RestorePlan } from '../ports.ts';

export interface RestoreFacts {
  readonly snapshot: string;
  /** Indices in the snapshot. */
  readonly available: readonly string[];
  readonly open: readonly string[];
  /** `*` stands for any text; several are separated by commas. Without one: everything but system indices. */
  readonly pattern: string | undefined;
  readonly renamePrefix: string | undefined;
}

/** Which indices come back, or why not: a restore never touches an open index. */
export function planRestore(facts: RestoreFacts): RestorePlan | Refusal<'no-such-index' | 'index-is-open'> {
  const indices = facts.available.filter((index) => isWanted(index, facts.pattern));
  if (indices.length === 0)
    return refuse(
      'no-such-index',
      `snapshot ${facts.snapshot} holds no index that matches ${facts.pattern ?? '*,-.*'} (it holds ${shorten(facts.available)})`,
    );
  const clashes = indices.filter((index) => facts.open.includes(`${facts.renamePrefix ?? ''}${index}`));
  if (clashes.length > 0)
    return refuse(
      'index-is-open',
      `${shorten(clashes)} exists and is open`,
      'restore beside it with --rename-prefix restored-, or close or delete it first',
    );
  return { indices, renamePrefix: facts.renamePrefix };
}

function isWanted(index: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return !index.startsWith('.');
  return pattern.split(',').some((part) => new RegExp(`^${part.split('*').map(escapeText).join('.*')}$`).test(index));
}

const escapeText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const shorten = (names: readonly string[]) =>
  names.length <= 5 ? names.join(', ') || 'none' : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
