import { templateError } from '../../errors.ts';

/** User Guide, "Fn::Cidr": at most 256 blocks. */
const maxBlocks = 256;

/** Splits a block into `count` blocks with `hostBits` bits for hosts each. */
export function cidrBlocks(block: string, count: number, hostBits: number): string[] {
  const [address, prefixText] = block.split('/');
  const isV6 = block.includes(':');
  const width = isV6 ? 128 : 32;
  const prefix = Number(prefixText);
  if (!(count >= 1 && count <= maxBlocks) || !(hostBits >= 1 && hostBits <= width) || !(prefix >= 0 && prefix <= width))
    throw templateError(`Fn::Cidr cannot split ${block} into ${count} blocks of ${hostBits} host bits`);
  const size = 1n << BigInt(hostBits);
  if (size * BigInt(count) > 1n << BigInt(width - prefix))
    throw templateError(`Fn::Cidr: ${block} has no room for ${count} blocks of ${hostBits} host bits`);
  const start = isV6 ? fromV6(address!) : fromV4(address!);
  const write = isV6 ? toV6 : toV4;
  return Array.from({ length: count }, (_, i) => `${write(start + size * BigInt(i))}/${width - hostBits}`);
}

const fromV4 = (address: string) => address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);

const toV4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');

function fromV6(address: string): bigint {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

/** Without shortening runs of zeros beyond the end, which is how CloudFormation writes subnets: `2001:db8:0:1::`. */
function toV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const lastSet = groups.findLastIndex((group) => group !== '0');
  return lastSet >= 6 ? groups.join(':') : `${groups.slice(0, lastSet + 1).join(':')}::`;
}
