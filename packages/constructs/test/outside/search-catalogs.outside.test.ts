import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { puppetDigest, recordedDigestFile } from './puppet-digest.ts';
import { type CatalogStep, catalogText, compileSearchCatalog } from './search-catalogs.ts';

const puppet = outsideClient('puppet', 'apt-get install puppet');
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../stage/src/cluster/catalogs/${name}.snap.json`, import.meta.url));

const compiled = new Map<string, readonly CatalogStep[]>();
/** Puppet needs seconds for each catalog: the two tests read the same ones. */
function catalogOf(role: 'search_master' | 'search_data', bootstrapping: boolean): readonly CatalogStep[] {
  const name = `${role} ${bootstrapping}`;
  const steps = compiled.get(name) ?? compileSearchCatalog(puppet.path, role, bootstrapping);
  compiled.set(name, steps);
  return steps;
}

describe.skipIf(puppet.missing)(`what simulated search machines take for Puppet's work ${puppet.reason}`, () => {
  it.each([
    ['search_master_bootstrapping', 'search_master', true],
    ['search_master', 'search_master', false],
    ['search_data', 'search_data', false],
  ] as const)(
    'the catalogue of simulated search machines is what the real Puppet compiles: %s (update with: vitest run --update)',
    async (name, role, bootstrapping) => {
      const steps = catalogOf(role, bootstrapping);

      await expect(catalogText(steps)).toMatchFileSnapshot(fixture(name));
    },
    120_000,
  );

  it('the digest of the Puppet tree is recorded with its catalogues (update with: vitest run --update)', async () => {
    await expect(puppetDigest()).toMatchFileSnapshot(recordedDigestFile);
  });

  it.each(['search_master', 'search_data'] as const)(
    'keeps Elasticsearch and both exporters running on a node: %s',
    (role) => {
      const running = catalogOf(role, false).flatMap(({ service, ensure, enable }) =>
        ensure === 'running' && enable === true ? [service] : [],
      );

      expect(running).toEqual(
        expect.arrayContaining(['elasticsearch', 'prometheus-node-exporter', 'prometheus-elasticsearch-exporter']),
      );
    },
    120_000,
  );
});
