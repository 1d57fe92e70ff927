/** The lines of a systemd unit by key. */
export interface UnitFile {
  /** The last line of a key wins. */
  get(key: string): string | undefined;
  /** The lines of a key that may stand more than once, in their order. */
  all(key: string): readonly string[];
}

export function parseUnit(text: string): UnitFile {
  const lines = text.split('\n').flatMap((line) => {
    const [, key, value] = /^([A-Za-z]\w*)=(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key, value: value! }];
  });
  const all = (key: string) => lines.filter((line) => line.key === key).map(({ value }) => value);
  return { get: (key) => all(key).at(-1), all };
}

const units: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** A time span of systemd.time(7), as far as our units use it: `90`, `10min`, `49h`. */
export function spanMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = 's'] = /^(\d+)(s|min|h)?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`time span ${text} is not modelled`);
  return Number(count) * units[unit]!;
}
