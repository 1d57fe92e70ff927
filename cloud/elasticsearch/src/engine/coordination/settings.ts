import type { ClusterState } from '../state/cluster-state.ts';
import { parseBytes, parsePercent, parseTimeMs } from '../values/units.ts';
import defaults from './default-settings.json' with { type: 'json' };

/** A setting's value as it is stored: text, or a list of texts. */
export type SettingValue = string | readonly string[];
export type FlatSettings = Readonly<Record<string, SettingValue>>;

export const defaultSettings: FlatSettings = defaults as FlatSettings;

/** The settings in force: transient before persistent before the configuration file before the default. */
export class SettingsView {
  #layers: readonly FlatSettings[];
  #groups = new Map<string, Map<string, string>>();

  constructor(state: Pick<ClusterState, 'persistent' | 'transient'>, config: FlatSettings) {
    this.#layers = [state.transient, state.persistent, config, defaultSettings];
  }

  raw(key: string): SettingValue | undefined {
    for (const layer of this.#layers) {
      const value = layer[key];
      if (value !== undefined) return value;
    }
    return undefined;
  }

  text(key: string): string {
    const value = this.raw(key) ?? '';
    return typeof value === 'string' ? value : value.join(',');
  }

  list(key: string): readonly string[] {
    const value = this.raw(key) ?? [];
    return typeof value === 'string' ? splitList(value) : value;
  }

  number(key: string): number {
    return Number(this.text(key));
  }

  boolean(key: string): boolean {
    return this.text(key) === 'true';
  }

  timeMs(key: string): number {
    return parseTimeMs(this.text(key)) ?? 0;
  }

  bytes(key: string): number {
    return parseBytes(this.text(key)) ?? 0;
  }

  percent(key: string): number | undefined {
    return parsePercent(this.text(key));
  }

  /** Settings below a prefix, keyed by what follows it. Cached: allocation reads the same few again and again. */
  group(prefix: string): ReadonlyMap<string, string> {
    let found = this.#groups.get(prefix);
    if (found === undefined) {
      found = new Map<string, string>();
      for (const layer of [...this.#layers].reverse())
        for (const [key, value] of Object.entries(layer))
          if (key.startsWith(prefix))
            found.set(key.slice(prefix.length), typeof value === 'string' ? value : value.join(','));
      this.#groups.set(prefix, found);
    }
    return found;
  }

  /** Whether any layer above the defaults names the key. */
  isSet(key: string): boolean {
    return this.#layers.slice(0, -1).some((layer) => layer[key] !== undefined);
  }
}

export const splitList = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
