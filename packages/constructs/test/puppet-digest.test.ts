import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { puppetDigest, recordedDigestFile } from './outside/puppet-digest.ts';
import { puppetTree } from './outside/scratch-root.ts';

const remedy =
  'the Puppet tree is not the one whose catalogues are recorded: install Puppet (apt-get install puppet) and run ' +
  '"npx vitest run --project outside puppet search-catalogs --update", then read the differences';

describe('Puppet tree', () => {
  it('a change of the Puppet tree since its catalogues were recorded is noticed without Puppet', () => {
    expect(puppetDigest(), remedy).toBe(readFileSync(recordedDigestFile, 'utf8'));
  });

  it.each([
    ['a manifest', 'modules/drover_search/manifests/service.pp'],
    ['a script', 'modules/drover_runner/files/install-runner.sh'],
    ['the data', 'data/common.yaml'],
  ])('the digest of the Puppet tree changes with %s', (_, file) => {
    const copy = mkdtempSync(join(tmpdir(), 'puppet-'));
    cpSync(puppetTree, copy, { recursive: true });
    writeFileSync(join(copy, file), '# changed', { flag: 'a' });

    expect(puppetDigest(copy)).not.toBe(puppetDigest());
  });

  it('the digest of the Puppet tree does not change with its documentation', () => {
    const copy = mkdtempSync(join(tmpdir(), 'puppet-'));
    cpSync(puppetTree, copy, { recursive: true });
    writeFileSync(join(copy, 'README.md'), 'other words');

    expect(puppetDigest(copy)).toBe(puppetDigest());
  });
});
