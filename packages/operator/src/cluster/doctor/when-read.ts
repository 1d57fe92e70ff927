import { type Outcome, unknown } from '../../doctor/findings.ts';

/** Result of a read, or why it failed. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome for what was read, or `unknown`. */
export const whenRead = <T>(found: Read<T>, examine: (value: T) => Outcome): Outcome =>
  whenAllRead([found], ([value]) => examine(value as T));

/** The outcome for all that was read, or `unknown` where a part was not. */
export function whenAllRead<const Parts extends readonly Read<unknown>[]>(
  parts: Parts,
  examine: (values: { readonly [At in keyof Parts]: Parts[At] extends Read<infer Value> ? Value : never }) => Outcome,
): Outcome {
  const failed = parts.find((part) => part.kind === 'failed');
  if (failed !== undefined) return unknown(`Elasticsearch could not be read: ${failed.message}`);
  return examine(parts.map((part) => 'value' in part && part.value) as never);
}
