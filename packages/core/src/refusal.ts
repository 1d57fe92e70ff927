/** A "no" or "not yet" as a value: its name reaches log, command, metric and console unchanged. */
export interface Refusal<Name extends string = string> {
  readonly kind: 'refusal';
  /** Kebab-case, stable: operators search for it. */
  readonly name: Name;
  /** What was found, with its values. */
  readonly reason: string;
  /** What the operator can do. */
  readonly remedy?: string;
}

export function refuse<Name extends string>(name: Name, reason: string, remedy?: string): Refusal<Name> {
  return remedy === undefined ? { kind: 'refusal', name, reason } : { kind: 'refusal', name, reason, remedy };
}

/** One line for people: the name, the reason, the way out. */
export function renderRefusal(refusal: Refusal): string {
  const remedy = refusal.remedy === undefined ? '' : ` To fix it: ${refusal.remedy}`;
  return `refused (${refusal.name}): ${refusal.reason}.${remedy}`.replace('..', '.');
}
