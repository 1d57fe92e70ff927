import type { Random } from '@drover/core';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const suffixLength = 12;

/** A name as CloudFormation generates it, `<stack>-<logical id>-<random>`, with the long parts cut to fit. */
export function physicalName(random: Random, stackName: string, logicalId: string, maxLength = 255): string {
  const suffix = Array.from({ length: suffixLength }, () => random.pick([...alphabet])).join('');
  const room = maxLength - suffixLength - 2;
  if (room < 2) return suffix.slice(0, maxLength);
  const forStack = Math.max(room - logicalId.length, Math.ceil(room / 2));
  const stack = stackName.slice(0, forStack);
  return `${stack}-${logicalId.slice(0, room - stack.length)}-${suffix}`;
}
