import { type Outcome, unknown } from '../../doctor/findings.ts';

/** Result of a read, or why it failed. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome for what was read, or `unknown`. */
export const whenRead = <T>(found: Read<T>, examine: (value: T) => Outcome): Outcome =>
  found.kind === 'failed' ? unknown(`Elasticsearch could not be read: ${found.message}`) : examine(found.value);
