import type { Document, Value } from '@drover/formats';
import type { SettingValue } from '../coordination/settings.ts';
import type { ClusterState, Template } from '../state/cluster-state.ts';
import type { AliasMetadata } from '../state/index-metadata.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { flattenSettings } from '../values/flat-settings.ts';
import { isDocument } from '../values/value.ts';
import { normalizeIndexSettings } from './index-settings.ts';
import { type MappingInput, readMappings } from './mappings.ts';
import { readAliases } from './read-aliases.ts';

/** The parts that templates add to a new index. */
export interface TemplateParts {
  readonly names: readonly string[];
  readonly composable: boolean;
  /** The template makes data streams, and no index. */
  readonly dataStream?: Value;
  readonly settings: Readonly<Record<string, SettingValue | null>>;
  readonly mappings: readonly MappingInput[];
  readonly aliases: ReadonlyMap<string, AliasMetadata>;
}

/** One composable template, or all legacy templates that match ("Index templates"). */
export function matchingTemplates(state: ClusterState, name: string, _version: string): TemplateParts {
  const composable = [...state.indexTemplates.values()]
    .filter((template) => matches(template, name))
    .sort((a, b) => number(b.body.priority) - number(a.body.priority))[0];
  if (composable !== undefined) {
    const dataStream = composable.body.data_stream;
    const { template } = composable.body;
    const parts = combine([composable.name], true, isDocument(template) ? [template] : []);
    return dataStream === undefined ? parts : { ...parts, dataStream };
  }
  const legacy = [...state.legacyTemplates.values()]
    .filter((template) => matches(template, name))
    .sort((a, b) => number(a.body.order) - number(b.body.order));
  return combine(
    legacy.map((template) => template.name),
    false,
    legacy.map((template) => template.body),
  );
}

function combine(names: readonly string[], composable: boolean, bodies: readonly Document[]): TemplateParts {
  const settings: Record<string, SettingValue | null> = {};
  const mappings: MappingInput[] = [];
  const aliases = new Map<string, AliasMetadata>();
  for (const body of bodies) {
    if (isDocument(body.settings)) Object.assign(settings, normalizeIndexSettings(flattenSettings(body.settings)));
    if (isDocument(body.mappings)) mappings.push(readTemplateMappings(body.mappings));
    if (isDocument(body.aliases))
      for (const [alias, metadata] of readAliases(body.aliases)) aliases.set(alias, metadata);
  }
  return { names, composable, settings, mappings, aliases };
}

/** A legacy template keeps the type that it was stored with. */
function readTemplateMappings(mappings: Document): MappingInput {
  const [only] = Object.keys(mappings);
  const typed =
    Object.keys(mappings).length === 1 &&
    only !== 'properties' &&
    isDocument(mappings[only!]) &&
    !only!.startsWith('_') &&
    only !== 'dynamic' &&
    only !== 'runtime';
  return readMappings(mappings, typed);
}

const number = (value: Value) => Number(value ?? 0);

function matches(template: Template, name: string): boolean {
  const patterns = template.body.index_patterns;
  const list = Array.isArray(patterns) ? patterns.map(String) : patterns === undefined ? [] : [String(patterns)];
  return list.some((pattern) => wildcardToRegExp(pattern).test(name));
}
