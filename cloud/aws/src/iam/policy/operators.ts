import { isIP } from 'node:net';
import { type Pattern, pattern } from './wildcard.ts';

/** How one condition operator compares a value of the request with a value of the policy. */
export interface ConditionOperator {
  /** Negated operators hold when no value of the policy matches, also when the request lacks the key. */
  readonly negated: boolean;
  /** Policy variables work in string and ARN operators only. */
  readonly variables: boolean;
  /** Throws when the policy's value cannot be compared this way. */
  check(wanted: string): void;
  matches(value: string, wanted: string, wantedPattern: Pattern): boolean;
}

const accept = () => {};
const text = { variables: true, check: accept };

/** ArnEquals and ArnLike are the same: each of the six parts is compared on its own, with wildcards. */
function arnMatches(value: string, wanted: string): boolean {
  if (wanted === '*') return true;
  const [have, want] = [arnParts(value), arnParts(wanted)];
  return have.length === 6 && want.length === 6 && want.every((part, index) => pattern(part).matches(have[index]!));
}

function arnParts(text: string): string[] {
  const parts = text.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}

const number = (text: string): number => {
  if (text.trim() === '' || Number.isNaN(Number(text))) throw new RangeError(`${text} is not a number`);
  return Number(text);
};

/** ISO 8601 or seconds since the epoch. */
const moment = (text: string): number => {
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`${text} is not a date`);
  return ms;
};

const truth = (text: string): boolean => {
  if (!/^(true|false)$/i.test(text)) throw new RangeError(`${text} is not true or false`);
  return text.toLowerCase() === 'true';
};

interface Range {
  readonly base: number;
  readonly mask: number;
}

/** IPv4 only: the embedded world has no other addresses. */
const addressRange = (cidr: string): Range => {
  const [address, bits = '32'] = cidr.split('/');
  if (isIP(address!) !== 4 || !/^\d+$/.test(bits) || Number(bits) > 32)
    throw new RangeError(`${cidr} is not an IPv4 address range, the only kind that is modelled`);
  const mask = Number(bits) === 0 ? 0 : (-1 << (32 - Number(bits))) >>> 0;
  return { base: (asNumber(address!) & mask) >>> 0, mask };
};

const asNumber = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) >>> 0;

const inRange = (address: string, cidr: string) => {
  const { base, mask } = addressRange(cidr);
  return isIP(address) === 4 && (asNumber(address) & mask) >>> 0 === base;
};

function comparing<T>(parse: (text: string) => T, matches: (value: T, wanted: T) => boolean) {
  return {
    variables: false,
    check: (wanted: string) => void parse(wanted),
    matches: (value: string, wanted: string) => {
      try {
        return matches(parse(value), parse(wanted));
      } catch {
        return false;
      }
    },
  };
}

type Positive = Omit<ConditionOperator, 'negated'>;

const positive: Readonly<Record<string, Positive>> = {
  StringEquals: { ...text, matches: (value, wanted) => value === wanted },
  StringEqualsIgnoreCase: { ...text, matches: (value, wanted) => value.toLowerCase() === wanted.toLowerCase() },
  StringLike: { ...text, matches: (value, _wanted, wantedPattern) => wantedPattern.matches(value) },
  ArnEquals: { ...text, matches: arnMatches },
  ArnLike: { ...text, matches: arnMatches },
  NumericEquals: comparing(number, (value, wanted) => value === wanted),
  DateEquals: comparing(moment, (value, wanted) => value === wanted),
  Bool: comparing(truth, (value, wanted) => value === wanted),
  BinaryEquals: { ...text, variables: false, matches: (value, wanted) => value === wanted },
  IpAddress: {
    variables: false,
    check: (wanted) => void addressRange(wanted),
    matches: inRange,
  },
};

const ordered: Readonly<Record<string, Positive>> = {
  NumericLessThan: comparing(number, (value, wanted) => value < wanted),
  NumericLessThanEquals: comparing(number, (value, wanted) => value <= wanted),
  NumericGreaterThan: comparing(number, (value, wanted) => value > wanted),
  NumericGreaterThanEquals: comparing(number, (value, wanted) => value >= wanted),
  DateLessThan: comparing(moment, (value, wanted) => value < wanted),
  DateLessThanEquals: comparing(moment, (value, wanted) => value <= wanted),
  DateGreaterThan: comparing(moment, (value, wanted) => value > wanted),
  DateGreaterThanEquals: comparing(moment, (value, wanted) => value >= wanted),
};

const negations: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
  NumericNotEquals: 'NumericEquals',
  DateNotEquals: 'DateEquals',
  NotIpAddress: 'IpAddress',
};

/** "IAM JSON policy elements: Condition operators", IAM user guide; `Null` is not here because it compares nothing. */
export const conditionOperators: ReadonlyMap<string, ConditionOperator> = new Map<string, ConditionOperator>([
  ...Object.entries({ ...positive, ...ordered }).map(
    ([name, operator]) => [name, { ...operator, negated: false }] as const,
  ),
  ...Object.entries(negations).map(([name, of]) => [name, { ...positive[of]!, negated: true }] as const),
]);
