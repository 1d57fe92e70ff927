import defaults from '../coordination/default-index-settings.json' with { type: 'json' };
import type { FlatSettings, SettingValue } from '../coordination/settings.ts';
import { type ElasticsearchError, illegalArgument } from '../errors.ts';
import { similar } from '../values/similar.ts';
import { parseTimeMs } from '../values/units.ts';
import names from './index-setting-names.json' with { type: 'json' };

export const defaultIndexSettings: FlatSettings = defaults as FlatSettings;

/**
 * Names beside those that have a default: with open names below them (`groups`), fixed once the index exists (`static`: "Static index
 * settings"), and those of them that not even a closed index may change (`final`).
 */
const { groups, others } = names;
const finalNames = new Set(names.final);
const staticNames = new Set([...names.static, ...names.final]);

const knownKeys = [...Object.keys(defaultIndexSettings), ...others];
const known = new Set(knownKeys);

/** Adds the `index.` prefix where a caller left it out. */
export function normalizeIndexSettings(
  flat: Readonly<Record<string, SettingValue | null>>,
): Record<string, SettingValue | null> {
  return Object.fromEntries(
    Object.entries(flat).map(([key, value]) => [key.startsWith('index.') ? key : `index.${key}`, value]),
  );
}

export const isStatic = (key: string) => staticNames.has(key) || key.startsWith('index.analysis.');
export const isFinal = (key: string) => finalNames.has(key);

/** Why these settings cannot be set, or undefined. */
export function refuseIndexSettings(
  settings: Readonly<Record<string, SettingValue | null>>,
): ElasticsearchError | undefined {
  for (const [key, value] of Object.entries(settings)) {
    if (!known.has(key) && !key.endsWith('*') && !groups.some((group) => key.startsWith(group)))
      return illegalArgument(unknownSetting(key));
    const refusal = value === null ? undefined : refuseValue(key, String(value));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function unknownSetting(key: string): string {
  const alike = similar(key, knownKeys, 0.7);
  if (alike.length > 0)
    return `unknown setting [${key}] did you mean ${alike.length === 1 ? `[${alike[0]}]` : `any of [${alike.join(', ')}]`}?`;
  return `unknown setting [${key}] please check that any required plugins are installed, or check the breaking changes documentation for removed settings`;
}

function refuseValue(key: string, value: string): ElasticsearchError | undefined {
  switch (key) {
    case 'index.number_of_shards':
      return refuseInteger(key, value, 1, 1024);
    case 'index.number_of_replicas':
      return refuseInteger(key, value, 0, Number.MAX_SAFE_INTEGER);
    case 'index.routing.allocation.total_shards_per_node':
      return refuseInteger(key, value, -1, Number.MAX_SAFE_INTEGER);
    case 'index.priority':
    case 'index.allocation.max_retries':
      return refuseInteger(key, value, 0, Number.MAX_SAFE_INTEGER);
    case 'index.refresh_interval':
    case 'index.unassigned.node_left.delayed_timeout':
      if (parseTimeMs(value) === undefined)
        return illegalArgument(
          `failed to parse setting [${key}] with value [${value}] as a time value: unit is missing or unrecognized`,
        );
      return undefined;
    case 'index.auto_expand_replicas':
      if (value !== 'false' && !/^\d+-(\d+|all)$/.test(value))
        return illegalArgument(`failed to parse [${key}] from value: [${value}] at index -1`);
      return undefined;
    case 'index.routing.allocation.enable':
      return ['all', 'primaries', 'new_primaries', 'none'].includes(value)
        ? undefined
        : illegalArgument(`Illegal allocation.enable value [${value.toUpperCase()}]`);
  }
  if (/^index\.(hidden|blocks\.\w+|soft_deletes\.enabled)$/.test(key) && value !== 'true' && value !== 'false')
    return illegalArgument(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
  return undefined;
}

function refuseInteger(key: string, value: string, least: number, most: number): ElasticsearchError | undefined {
  if (!/^[+-]?\d+$/.test(value))
    return illegalArgument(`Failed to parse value [${value}] for setting [${key}]`, {
      type: 'number_format_exception',
      reason: `For input string: "${value}"`,
    });
  if (Number(value) < least)
    return illegalArgument(`Failed to parse value [${value}] for setting [${key}] must be >= ${least}`);
  if (Number(value) > most)
    return illegalArgument(`Failed to parse value [${value}] for setting [${key}] must be <= ${most}`);
  return undefined;
}
