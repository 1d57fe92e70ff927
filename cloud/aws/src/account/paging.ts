/** One page of a list, with the token that asks for the next one. */
interface Page<T> {
  readonly items: readonly T[];
  readonly nextToken: string | undefined;
}

/** Cuts one page out of a list. A token is only valid for the list that it came from, as with AWS it is opaque. */
export function pageOf<T>(
  all: readonly T[],
  token: string | undefined,
  limit: number,
  invalidToken: () => Error,
): Page<T> {
  const start = token === undefined || token === '' ? 0 : offsetOf(token, all.length);
  if (start === undefined) throw invalidToken();
  const end = start + limit;
  return { items: all.slice(start, end), nextToken: end < all.length ? tokenFor(end) : undefined };
}

/** The same for operations whose request and response name the token `NextToken`. */
export function nextTokenPage<T>(
  all: readonly T[],
  request: { readonly NextToken?: string | undefined },
  limit: number,
  invalidToken: () => Error,
): { readonly items: readonly T[]; readonly NextToken?: string } {
  const { items, nextToken } = pageOf(all, request.NextToken, limit, invalidToken);
  return nextToken === undefined ? { items } : { items, NextToken: nextToken };
}

const tokenFor = (offset: number) => Buffer.from(`page/${offset}`).toString('base64url');

function offsetOf(token: string, length: number): number | undefined {
  const [, digits] = /^page\/(\d+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  return digits === undefined || Number(digits) > length ? undefined : Number(digits);
}
