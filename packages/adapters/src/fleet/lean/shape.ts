/** What is read of an answer; members that no shape names are passed over. */
export type Shape =
  | 'text'
  | 'number'
  | 'truth'
  | 'time'
  | { readonly listOf: Shape }
  | { readonly members: Readonly<Record<string, Shape>> };

export const listOf = (shape: Shape): Shape => ({ listOf: shape });
export const members = (shapes: Readonly<Record<string, Shape>>): Shape => ({ members: shapes });
