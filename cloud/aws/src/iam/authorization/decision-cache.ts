import type { Permission, Principal } from '../../account/service.ts';
import type { Decision } from '../policy/decide.ts';
import type { Policy } from '../policy/document.ts';

interface Entry {
  readonly decision: Decision;
  /** The resource's own policy on which the decision stands. */
  readonly resourcePolicy: Policy | undefined;
}

const maxEntries = 100_000;

/** Decisions that were made already; emptied whenever a policy, an attachment or a tag of an identity changes. */
export class DecisionCache {
  #byPrincipal = new WeakMap<Principal, Map<string, Entry>>();
  #entries = 0;

  find(principal: Principal, key: string, resourcePolicy: Policy | undefined): Decision | undefined {
    const entry = this.#byPrincipal.get(principal)?.get(key);
    return entry !== undefined && entry.resourcePolicy === resourcePolicy ? entry.decision : undefined;
  }

  keep(principal: Principal, key: string, resourcePolicy: Policy | undefined, decision: Decision): void {
    if (this.#entries >= maxEntries) this.clear();
    let decisions = this.#byPrincipal.get(principal);
    if (decisions === undefined) {
      decisions = new Map();
      this.#byPrincipal.set(principal, decisions);
    }
    if (!decisions.has(key)) this.#entries += 1;
    decisions.set(key, { decision, resourcePolicy });
  }

  clear(): void {
    this.#byPrincipal = new WeakMap();
    this.#entries = 0;
  }
}

/**
 * One text for all that a decision depends on besides the principal and its policies. A key of the context that no
 * policy reads is left out: a tag with the time in it would make every request a new question.
 */
export function decisionKey({ action, resource, context }: Permission, reads: (key: string) => boolean): string {
  let key = `${action}\n${resource}`;
  for (const name in context) {
    if (!reads(name)) continue;
    const value = context[name]!;
    key += `\n${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  }
  return key;
}
