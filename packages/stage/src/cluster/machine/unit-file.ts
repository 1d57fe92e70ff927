/** The lines of a systemd unit by key; the last of a key wins. */
export type UnitFile = ReadonlyMap<string, string>;

export function parseUnit(text: string): UnitFile {
  const lines = text.split('\n').filter((line) => /^[A-Za-z]\w*=/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

const units: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** A time span of systemd.time(7), as far as our units use it: `90`, `10min`, `49h`. */
export function spanMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = 's'] = /^(\d+)(s|min|h)?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`time span ${text} is not modelled`);
  return Number(count) * units[unit]!;
}
