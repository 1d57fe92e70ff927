import { wildcardToRegExp } from '../values/filter-path.ts';

/**
 * Parts of the stack that keep their state in system indices, with the patterns of these: a snapshot holds each as a whole ("Feature
 * state"). Those of the default distribution whose indices may exist in the model.
 */
export const features: readonly { readonly name: string; readonly patterns: readonly string[] }[] = [
  { name: 'async_search', patterns: ['.async-search*'] },
  { name: 'enrich', patterns: ['.enrich-*'] },
  { name: 'geoip', patterns: ['.geoip_databases*'] },
  { name: 'kibana', patterns: ['.kibana_*', '.reporting-*', '.apm-agent-configuration*', '.apm-custom-link*'] },
  { name: 'security', patterns: ['.security-*'] },
  { name: 'tasks', patterns: ['.tasks*'] },
  { name: 'transform', patterns: ['.transform-internal-*', '.data-frame-internal-*'] },
  { name: 'watcher', patterns: ['.watches*', '.triggered_watches*'] },
];

/** The feature that an index belongs to, which makes it a system index. */
export const featureOf = (index: string): string | undefined =>
  index.startsWith('.')
    ? features.find(({ patterns }) => patterns.some((pattern) => wildcardToRegExp(pattern).test(index)))?.name
    : undefined;
