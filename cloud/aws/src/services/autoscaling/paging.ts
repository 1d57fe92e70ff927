import { AwsError } from '../../account/errors.ts';

/** One page of a list and the token of the next: MaxRecords, default and maximum per operation. */
export function page<T>(
  items: readonly T[],
  request: { readonly NextToken?: string | undefined; readonly MaxRecords?: number | undefined },
  limits: { readonly standard: number; readonly most: number },
): { readonly items: readonly T[]; readonly NextToken?: string } {
  const start = request.NextToken === undefined ? 0 : decode(request.NextToken);
  const end = start + Math.min(request.MaxRecords ?? limits.standard, limits.most);
  const slice = items.slice(start, end);
  return end < items.length ? { items: slice, NextToken: encode(end) } : { items: slice };
}

const encode = (offset: number) => Buffer.from(`offset:${offset}`).toString('base64url');

function decode(token: string): number {
  const match = /^offset:(\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  if (match === null) throw new AwsError('InvalidNextToken', 'The NextToken value is not valid.', 400);
  return Number(match[1]);
}
