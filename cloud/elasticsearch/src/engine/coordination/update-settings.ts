import { invalidAddress } from '../allocation/deciders/filter.ts';
import { ElasticsearchError, illegalArgument } from '../errors.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { parseBytes, parsePercent, parseTimeMs } from '../values/units.ts';
import names from './setting-names.json' with { type: 'json' };
import { defaultSettings, type FlatSettings, type SettingValue } from './settings.ts';

/** Known beside those that have a default: keys with open names below them (`groups`), keys of the configuration file only (`static`). */
const known = new Set([...Object.keys(defaultSettings), ...names.others]);

const isKnown = (key: string) => known.has(key) || names.groups.some((group) => key.startsWith(group));
const isStatic = (key: string) =>
  !key.startsWith('http.tracer') &&
  !key.startsWith('transport.tracer') &&
  names.static.some((pattern) => wildcardToRegExp(pattern).test(key));

export type SettingsChange = Readonly<Record<string, SettingValue | null>>;

/** Applies changes to one layer of settings; null removes, also by pattern. */
export function changeSettings(
  layer: FlatSettings,
  change: SettingsChange,
  kind: 'persistent' | 'transient',
): FlatSettings {
  const next: Record<string, SettingValue> = { ...layer };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) {
      if (!key.includes('*')) refuseKey(key, kind);
      for (const present of Object.keys(next)) if (wildcardToRegExp(key).test(present)) delete next[present];
      continue;
    }
    refuseKey(key, kind);
    refuseValue(key, value);
    next[key] = value;
  }
  return Object.fromEntries(Object.entries(next).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function refuseKey(key: string, kind: string): void {
  if (!isKnown(key)) throw illegalArgument(`${kind} setting [${key}], not recognized`);
  if (isStatic(key)) throw illegalArgument(`${kind} setting [${key}], not dynamically updateable`);
}

const integers: Readonly<Record<string, number>> = {
  'cluster.routing.allocation.node_concurrent_recoveries': 0,
  'cluster.routing.allocation.node_concurrent_incoming_recoveries': 0,
  'cluster.routing.allocation.node_concurrent_outgoing_recoveries': 0,
  'cluster.routing.allocation.node_initial_primaries_recoveries': 0,
  'cluster.routing.allocation.cluster_concurrent_rebalance': -1,
  'cluster.routing.allocation.total_shards_per_node': -1,
  'cluster.max_shards_per_node': 1,
  'cluster.max_voting_config_exclusions': 1,
};

const enums: Readonly<Record<string, { readonly type: string; readonly values: readonly string[] }>> = {
  'cluster.routing.allocation.enable': {
    type: 'EnableAllocationDecider.Allocation',
    values: ['all', 'primaries', 'new_primaries', 'none'],
  },
  'cluster.routing.rebalance.enable': {
    type: 'EnableAllocationDecider.Rebalance',
    values: ['all', 'primaries', 'replicas', 'none'],
  },
};

const times: Readonly<Record<string, number>> = {
  'cluster.info.update.interval': 10_000,
  'slm.retention_duration': 0,
  'slm.minimum_interval': 0,
  'cluster.routing.allocation.disk.reroute_interval': 0,
};
const sizes = ['indices.recovery.max_bytes_per_sec'];
const booleans = [
  'action.destructive_requires_name',
  'cluster.blocks.read_only',
  'cluster.blocks.read_only_allow_delete',
  'cluster.routing.allocation.disk.threshold_enabled',
  'cluster.auto_shrink_voting_configuration',
  'slm.history_index_enabled',
  'cluster.routing.allocation.same_shard.host',
];

function refuseValue(key: string, value: SettingValue): void {
  const text = String(value);
  if (key in integers) refuseInteger(key, text, integers[key]!);
  const options = enums[key];
  if (options !== undefined && !options.values.includes(text.toLowerCase()))
    throw illegalArgument(
      `No enum constant org.elasticsearch.cluster.routing.allocation.decider.${options.type}.${text.toUpperCase()}`,
    );
  if (booleans.includes(key) && text !== 'true' && text !== 'false')
    throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
  if (sizes.includes(key) && parseBytes(text) === undefined) refuseBytes(key, text);
  if (key in times) refuseTime(key, text, times[key]!);
  if (key.startsWith('logger.') && !/^(trace|debug|info|warn|error|fatal|off|all)$/i.test(text))
    throw illegalArgument(`Unknown level constant [${text}].`);
  const address = invalidAddress(key, text);
  if (address !== undefined) throw illegalArgument(`invalid IP address [${address}] for [${key}]`);
}

function refuseInteger(key: string, text: string, least: number): void {
  if (!/^[+-]?\d+$/.test(text))
    throw illegalArgument(`Failed to parse value [${text}] for setting [${key}]`, {
      type: 'number_format_exception',
      reason: `For input string: "${text}"`,
    });
  if (Number(text) < least)
    throw illegalArgument(`Failed to parse value [${text}] for setting [${key}] must be >= ${least}`);
}

function refuseBytes(key: string, text: string): never {
  const reason = `failed to parse setting [${key}] with value [${text}]`;
  throw illegalArgument(reason, {
    type: 'parse_exception',
    reason,
    causedBy: { type: 'number_format_exception', reason: `For input string: "${text.slice(0, -1)}"` },
  });
}

function refuseTime(key: string, text: string, leastMs: number): void {
  const ms = parseTimeMs(text);
  if (ms === undefined)
    throw illegalArgument(
      `failed to parse setting [${key}] with value [${text}] as a time value: unit is missing or unrecognized`,
    );
  if (ms < leastMs)
    throw illegalArgument(`failed to parse value [${text}] for setting [${key}], must be >= [${leastMs / 1000}s]`);
}

/** Low, high and flood stage must all be percentages or all be sizes, and rise in that order. */
export function refuseWatermarks(effective: (key: string) => string, changed: readonly string[]): void {
  const keys = ['low', 'high', 'flood_stage'].map((name) => `cluster.routing.allocation.disk.watermark.${name}`);
  const values = keys.map(effective);
  keys.forEach((key, at) => {
    const text = values[at]!;
    if (parsePercent(text) === undefined && parseBytes(text) === undefined) throw unreadableWatermark(key, text);
  });
  const percents = values.map(parsePercent);
  const bytes = values.map((text) => (parsePercent(text) === undefined ? parseBytes(text) : undefined));
  const mixed = percents.some((value) => value !== undefined) && bytes.some((value) => value !== undefined);
  if (mixed) {
    const parts = keys.map((key, at) => `[${key}=${values[at]}]`);
    throw illegalArgument(
      `unable to consistently parse ${parts[0]}, ${parts[1]}, and ${parts[2]} as percentage or bytes`,
    );
  }
  const [low, high, flood] = (
    mixed ? [] : percents[0] === undefined ? bytes.map((value) => -value!) : percents
  ) as number[];
  const others = keys.filter((key) => changed.includes(key)).length - 1;
  if (low! > high!)
    throw misordered(`low disk watermark [${values[0]}] more than high disk watermark [${values[1]}]`, others);
  if (high! > flood!)
    throw misordered(`high disk watermark [${values[1]}] more than flood stage disk watermark [${values[2]}]`, others);
}

/** Each watermark in the request complains; all but the first are suppressed. */
function misordered(reason: string, others: number): ElasticsearchError {
  const failure = { type: 'illegal_argument_exception', reason };
  const suppressed = Array.from({ length: Math.max(0, others) }, () => failure);
  return new ElasticsearchError({ ...failure, ...(others > 0 ? { suppressed } : {}) });
}

function unreadableWatermark(key: string, text: string): ElasticsearchError {
  const reason = `unable to parse [${key}=${text}] as either percentage or bytes`;
  return illegalArgument(reason, {
    type: 'parse_exception',
    reason,
    causedBy: {
      type: 'parse_exception',
      reason: `failed to parse setting [${key}] with value [${text}] as a size in bytes: unit is missing or unrecognized`,
    },
  });
}
