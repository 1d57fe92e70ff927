import { invalidParameter } from '../errors.ts';

/** The numbers behind `10.0.0.0/16`. */
export function parseCidr(cidr: string): { readonly base: number; readonly size: number } {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  const prefix = Number(match?.[5]);
  if (match === null || prefix > 32 || match.slice(1, 5).some((octet) => Number(octet) > 255))
    throw invalidParameter(`Value (${cidr}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`);
  const base = match.slice(1, 5).reduce((sum, octet) => sum * 256 + Number(octet), 0);
  return { base, size: 2 ** (32 - prefix) };
}

/** The n-th address of a block. */
export const addressAt = (cidr: string, index: number): string => {
  const address = parseCidr(cidr).base + index;
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
};

/** Whether `inner` lies in `outer`. */
export function contains(outer: string, inner: string): boolean {
  const a = parseCidr(outer);
  const b = parseCidr(inner);
  return b.base >= a.base && b.base + b.size <= a.base + a.size;
}

/** Whether two blocks share an address. */
export function overlaps(left: string, right: string): boolean {
  const a = parseCidr(left);
  const b = parseCidr(right);
  return a.base < b.base + b.size && b.base < a.base + a.size;
}
