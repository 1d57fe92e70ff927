/** A case does not hold. */
export class Mismatch extends Error {}

export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Mismatch(message);
}
