import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../model/version.ts';
import { knownReleases, whyNoPath } from './version-path.ts';

describe('the path of an upgrade by the releases that are shipped', () => {
  it.each<[string, string, string | RegExp | undefined]>([
    // The two examples of Elastic's page "Upgrade your deployment, cluster, or orchestrator".
    ['9.0.4', '9.1.0', undefined],
    [
      '9.0.5',
      '9.1.0',
      /^9\.1\.0 \(built 2025-07-23\) was not released after 9\.0\.5 \(built 2025-08-06\); the newest known release for 9\.0\.5 is /,
    ],
    // A major needs the last minor before it, and 9.0 the one that was released with it.
    ['8.18.7', '9.0.8', undefined],
    ['8.19.3', '9.0.8', /^9\.0 is reached from 8\.18 only; the newest known release for 8\.19\.3 is 9\./],
    ['8.18.8', '9.5.3', /^9\.5 is reached from 8\.19 only; the newest known release for 8\.18\.8 is 8\.19\./],
    ['8.17.10', '9.0.8', /^9\.0 is reached from 8\.18 only/],
    ['7.17.29', '8.19.21', undefined],
    ['7.17.29', '9.5.3', /^7\.17\.29 cannot be upgraded over a major to 9\.5\.3/],
    // Released before, or on the same day, with a newer number.
    ['8.19.21', '9.5.3', undefined],
    ['8.19.21', '9.5.2', /^9\.5\.2 \(built 2026-08-18\) was not released after 8\.19\.21 \(built 2026-08-26\)/],
    ['8.19.21', '9.1.5', /was not released after 8\.19\.21/],
    ['8.19.10', '9.2.4', /^9\.2\.4 \(built 2026-01-08\) was not released after 8\.19\.10 \(built 2026-01-08\)/],
    ['8.18.5', '8.19.1', /was not released after 8\.18\.5/],
    ['8.18.8', '8.19.21', undefined],
    // Patches of one minor always are in order, and nothing goes back.
    ['8.11.2', '8.11.3', undefined],
    ['8.19.21', '8.19.21', undefined],
    ['9.5.3', '9.5.2', '9.5.2 is older than 9.5.3: no node can be downgraded'],
    // A version that is not in the file.
    ['8.19.21', '9.9.9', /does not know the release 9\.9\.9 \(its list is of 20\d\d-.*--skip version-path; the newest/],
    ['8.19.999', '9.5.3', /does not know the release 8\.19\.999/],
    ['9.5.3', '10.0.0', /^10\.0 is reached from 9\.\d+ only|does not know the release 10\.0\.0/],
  ])('the upgrade from %s to %s is judged as Elastic documents it', (from, to, expected) => {
    const because = whyNoPath(from, to);
    if (expected === undefined) expect(because).toBeUndefined();
    else expect(because).toMatch(expected);
  });

  it('the newest release has none to be upgraded to and is to wait', () => {
    expect(whyNoPath('9.0.1', '9.1.0', { '9.0.1': '2025-08-01T00:00Z', '9.1.0': '2025-07-01T00:00Z' })).toMatch(
      /; wait for a newer release$/,
    );
  });

  it('the list of releases is in the order of their numbers, and every one has a date', () => {
    const versions = Object.keys(knownReleases);
    expect(versions).toEqual([...versions].sort(compareVersions));
    expect(versions.filter((version) => Number.isNaN(Date.parse(knownReleases[version]!)))).toEqual([]);
  });
});
