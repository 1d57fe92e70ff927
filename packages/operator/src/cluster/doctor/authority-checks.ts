import { dayMs } from '@drover/core';
import { describePhase, newestOf } from '@drover/search-cluster';
import { notice, type Outcome, ok, problem, unknown } from '../../doctor/findings.ts';
import { duration } from '../../render/table.ts';
import type { ShownAuthority } from '../shown-authority.ts';
import type { ClusterFacts } from './facts.ts';
import type { Read } from './when-read.ts';

/** Longer than a rotation takes, with nodes that are launched meanwhile. */
const unfinishedMs = dayMs;

/** A rotation that stands still leaves the old authority trusted, which may be the reason for it. */
export function authorityRotation({ authority, now }: ClusterFacts): Outcome {
  if (authority.kind === 'failed')
    return unknown(`the authority's certificate could not be read: ${authority.message}`);
  const { phase } = authority.value;
  const shown = describePhase(authority.value);
  if (phase === 'settled') return ok(shown);
  const since = now - newestOf(authority.value).madeAt;
  const said = `${shown}, for ${duration(since)}`;
  return (since > unfinishedMs ? problem : notice)(said, 'drover cluster rotate-authority');
}

/** From here on an alarm is on. */
const fewDays = 30;
/** Time enough for a rotation that is planned. */
const soonDays = 365;

export function certificates({ certificateDays, authority, now }: ClusterFacts): Outcome {
  const authorityDays = daysOfAuthority(authority, now);
  if (authorityDays !== undefined && authorityDays < soonDays)
    return (authorityDays < fewDays ? problem : notice)(
      `the authority of the nodes' certificates ends in ${wholeDays(authorityDays)} days`,
      'drover cluster rotate-authority',
    );
  if (certificateDays === undefined) return unknown('no node has reported its certificate in the last hour');
  const said = `the first one expires in ${wholeDays(certificateDays)} days`;
  if (certificateDays >= fewDays) return ok(said);
  return problem(
    said,
    'the half-hourly configuration run of a node renews it before: on a node, sudo systemctl start drover-configure.service, and read its log',
  );
}

const wholeDays = (days: number) => Math.max(0, Math.floor(days));

/** Of the one that is to stay. */
function daysOfAuthority(authority: Read<ShownAuthority>, now: number): number | undefined {
  return authority.kind === 'failed' ? undefined : (newestOf(authority.value).endsAt - now) / dayMs;
}
