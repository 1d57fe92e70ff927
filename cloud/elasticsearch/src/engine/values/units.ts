/** Reads a time value such as `30s`, `500ms`, `1.5h`, `-1` or `0`; undefined when it is none. */
export function parseTimeMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '-1') return -1;
  if (/^0+$/.test(trimmed)) return 0;
  const match = /^(\d+(?:\.\d+)?)(nanos|micros|ms|s|m|h|d)$/i.exec(trimmed);
  if (match === null) return undefined;
  return Number(match[1]) * timeUnitMs[match[2]!.toLowerCase()]!;
}

const timeUnitMs: Record<string, number> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Elasticsearch's short form of a duration, one decimal, cut off: `1.2s`, `5m`, `2.5h`. */
export function formatTime(ms: number): string {
  if (ms < 0) return String(ms);
  if (ms === 0) return '0s';
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
    ['micros', 1e-3],
  ] as const)
    if (ms >= size) return oneDecimal(ms / size) + unit;
  return `${Math.round(ms * 1e6)}nanos`;
}

const byteUnits: Record<string, number> = {
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
  p: 1024 ** 5,
  pb: 1024 ** 5,
};

/** Reads a byte size such as `40mb`, `1.5gb` or `-1`; undefined when it is none. */
export function parseBytes(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '-1') return -1;
  if (trimmed === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)\s*(b|k|kb|m|mb|g|gb|t|tb|p|pb)$/.exec(trimmed);
  return match === null ? undefined : Math.floor(Number(match[1]) * byteUnits[match[2]!]!);
}

/** Elasticsearch's short form of a byte size, one decimal, cut off: `78.2gb`, `227b`. */
export function formatBytes(bytes: number): string {
  if (bytes < 0) return `${bytes}b`;
  for (const unit of ['pb', 'tb', 'gb', 'mb', 'kb'] as const)
    if (bytes >= byteUnits[unit]!) return oneDecimal(bytes / byteUnits[unit]!) + unit;
  return `${Math.floor(bytes)}b`;
}

/** Reads a percentage or ratio (`85%`, `0.85`) as a percentage; undefined when it is none. */
export function parsePercent(text: string): number | undefined {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text.trim());
  if (percent !== null) return Number(percent[1]) <= 100 ? Number(percent[1]) : undefined;
  const ratio = /^(0(?:\.\d+)?|1(?:\.0+)?)$/.exec(text.trim());
  return ratio === null ? undefined : Number(ratio[1]) * 100;
}

/** One decimal at most, cut and not rounded, without a trailing zero. */
export function oneDecimal(value: number): string {
  const text = String(Math.floor(value * 10) / 10);
  return text.includes('e') ? value.toFixed(0) : text;
}

/** `2026-11-15T01:43:27.351Z` */
export const isoTime = (ms: number) => new Date(ms).toISOString();

/** `01:43:27` in UTC, as cat tables show times. */
export const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 19);
