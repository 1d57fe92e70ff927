/** A "no" or "not yet" as a value: its name reaches log, command, metric and console unchanged. */
export interface Refusal<Name extends string = string> {
  readonly kind: 'refusal';
  /** Kebab-case, stable: operators search for it. */
  readonly name: Name;
  /** The finding, with its values. */
  readonly reason: string;
  /** A remedy for the operator. */
  readonly remedy?: string;
}

export function refuse<Name extends string>(name: Name, reason: string, remedy?: string): Refusal<Name> {
  return remedy === undefined ? { kind: 'refusal', name, reason } : { kind: 'refusal', name, reason, remedy };
}

/**
 * One line for people: what happened, the reason, the way out.
 * @param verb what happened, for an outcome that is not a plain refusal. @default `refused (NAME)`
 */
export function renderRefusal(refusal: Refusal, verb = `refused (${refusal.name})`): string {
  const { reason, remedy } = refusal;
  // Reasons that quote Elasticsearch may bring a full stop of their own.
  const sentence = reason.endsWith('.') ? reason : `${reason}.`;
  return `${verb}: ${sentence}${remedy === undefined ? '' : ` To fix it: ${remedy}`}`;
}
