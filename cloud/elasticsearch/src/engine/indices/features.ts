import { wildcardToRegExp } from '../values/filter-path.ts';

/** A part of the stack that keeps its state in system indices; a snapshot holds it as a whole ("Feature state"). */
export interface Feature {
  readonly name: string;
  readonly description: string;
  readonly patterns: readonly string[];
}

/** Features of the default distribution whose indices may exist in the model. */
export const features: readonly Feature[] = [
  { name: 'async_search', description: 'Manages results of async searches', patterns: ['.async-search*'] },
  { name: 'enrich', description: 'Manages data related to Enrich policies', patterns: ['.enrich-*'] },
  { name: 'geoip', description: 'Manages data related to GeoIP database downloader', patterns: ['.geoip_databases*'] },
  {
    name: 'kibana',
    description: 'Manages Kibana configuration and reports',
    patterns: ['.kibana_*', '.reporting-*', '.apm-agent-configuration*', '.apm-custom-link*'],
  },
  {
    name: 'security',
    description: 'Manages configuration for Security features, such as users and roles',
    patterns: ['.security-*'],
  },
  { name: 'tasks', description: 'Manages task results', patterns: ['.tasks*'] },
  {
    name: 'transform',
    description: 'Manages configuration and state for transforms',
    patterns: ['.transform-internal-*', '.data-frame-internal-*'],
  },
  {
    name: 'watcher',
    description: 'Manages Watch definitions and state',
    patterns: ['.watches*', '.triggered_watches*'],
  },
];

/** The feature that an index belongs to, which makes it a system index. */
export const featureOf = (index: string): string | undefined =>
  index.startsWith('.')
    ? features.find(({ patterns }) => patterns.some((pattern) => wildcardToRegExp(pattern).test(index)))?.name
    : undefined;
