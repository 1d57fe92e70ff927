import { ElasticsearchError, illegalArgument, parseError } from '../errors.ts';

/**
 * Date math in names ("Date math in index names"): `<logs-{now/d}>`, `<snap-{now/M-1M{yyyy.MM}}>`, with an optional
 * time zone after `|`. UTC unless one is given; only `UTC` and fixed offsets are known.
 */
export function resolveDateMath(expression: string, nowMs: number): string {
  const inner = expression.slice(1, -1);
  let result = '';
  for (let at = 0; at < inner.length; ) {
    if (inner[at] !== '{') {
      result += inner[at++];
      continue;
    }
    const end = closingBrace(inner, at);
    result += resolvePart(inner.slice(at + 1, end), nowMs);
    at = end + 1;
  }
  return result;
}

function closingBrace(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}' && --depth === 0) return at;
  }
  throw parseError(`invalid dynamic name expression [${text}>]. date math placeholder is open ended`);
}

function resolvePart(part: string, nowMs: number): string {
  const match = /^(now[^{]*)(?:\{([^|}]*)(?:\|([^}]*))?\})?$/.exec(part);
  if (match === null) throw noDate(part);
  refuseUnits(match[1]!.slice(3));
  refusePattern(match[2] ?? '');
  const offsetMs = zoneOffsetMs(match[3]);
  const at = new Date(applyMath(nowMs + offsetMs, match[1]!.slice(3)));
  return formatDate(at, match[2] ?? 'yyyy.MM.dd', nowMs);
}

/** Text that does not begin with `now` is read as a date in the default format. */
function noDate(part: string): ElasticsearchError {
  const reason = `failed to parse date field [${part}] with format [uuuu.MM.dd]`;
  const causedBy = { type: 'date_time_parse_exception', reason: `Text '${part}' could not be parsed at index 0` };
  return new ElasticsearchError({
    type: 'parse_exception',
    reason: `${reason}: [${reason}]`,
    causedBy: { type: 'illegal_argument_exception', reason, causedBy },
  });
}

function refuseUnits(math: string): void {
  const rest = math.replaceAll(/[+-]\d*[yMwdhHms]|\/[yMwdhHms]/g, '');
  if (rest === '') return;
  const unit = /^(?:[+-]\d*|\/)(.)/.exec(rest)?.[1];
  throw parseError(
    unit === undefined
      ? `operator not supported for date math [${math}]`
      : `unit [${unit}] not supported for date math [${math}]`,
  );
}

/** Letters that Java's date patterns do not know. */
function refusePattern(pattern: string): void {
  const unknown = /[bCfgIiJjlNoPRrTtUv]/.exec(pattern.replaceAll(/'[^']*'/g, ''))?.[0];
  if (unknown === undefined) return;
  const reason = `Unknown pattern letter: ${unknown}`;
  throw illegalArgument(`Invalid format: [${pattern}]: ${reason}`, { type: 'illegal_argument_exception', reason });
}

function zoneOffsetMs(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  if (match === null) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000;
}

/** `/d`, `+1h`, `-2M` and so on, from left to right. */
export function applyMath(fromMs: number, math: string): number {
  let at = new Date(fromMs);
  for (const [, sign, count, unit, rounding] of math.matchAll(/([+-])(\d*)([yMwdhHms])|\/([yMwdhHms])/g)) {
    if (rounding !== undefined) at = roundDown(at, rounding);
    else at = add(at, (sign === '-' ? -1 : 1) * Number(count === '' ? 1 : count), unit!);
  }
  return at.getTime();
}

const unitMs: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  H: 3_600_000,
  m: 60_000,
  s: 1000,
};

function add(date: Date, count: number, unit: string): Date {
  if (unit === 'y' || unit === 'M') {
    const moved = new Date(date);
    const day = moved.getUTCDate();
    moved.setUTCDate(1);
    moved.setUTCMonth(moved.getUTCMonth() + count * (unit === 'y' ? 12 : 1));
    const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
    moved.setUTCDate(Math.min(day, last));
    return moved;
  }
  return new Date(date.getTime() + count * unitMs[unit]!);
}

function roundDown(date: Date, unit: string): Date {
  const [y, M, d] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === 'y') return new Date(Date.UTC(y, 0, 1));
  if (unit === 'M') return new Date(Date.UTC(y, M, 1));
  if (unit === 'w') return new Date(Date.UTC(y, M, d - ((date.getUTCDay() + 6) % 7)));
  return new Date(Math.floor(date.getTime() / unitMs[unit]!) * unitMs[unit]!);
}

/** Java date patterns as far as names use them. Microseconds come from `nowMs`, which has none: they are zero. */
export function formatDate(date: Date, pattern: string, _nowMs = 0): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return pattern.replace(/'([^']*)'|y+|u+|M+|d+|H+|m+|s+|S+|w+|e/g, (token, literal: string | undefined) => {
    if (literal !== undefined) return literal;
    switch (token[0]) {
      case 'y':
      case 'u':
        return token.length === 2 ? two(date.getUTCFullYear() % 100) : String(date.getUTCFullYear());
      case 'M':
        return token.length === 1 ? String(date.getUTCMonth() + 1) : two(date.getUTCMonth() + 1);
      case 'd':
        return token.length === 1 ? String(date.getUTCDate()) : two(date.getUTCDate());
      case 'H':
        return two(date.getUTCHours());
      case 'm':
        return two(date.getUTCMinutes());
      case 's':
        return two(date.getUTCSeconds());
      case 'S':
        return String(date.getUTCMilliseconds()).padStart(3, '0').padEnd(token.length, '0').slice(0, token.length);
      default:
        return token;
    }
  });
}
