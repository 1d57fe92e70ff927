import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeAutoScalingGroupsCommand, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { clients } from '@drover/embedded-cloud';
import { expect, it } from 'vitest';
import { synthesiseFleet } from '../fleet/fleet-app.ts';
import { FleetSimulation } from '../fleet/fleet-simulation.ts';

it('takes a runner from its template to its end', async () => {
  process.env.CDK_VALIDATION = 'false';
  const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'fleet-')), { groupName: 'runners', asgMinSize: 1, asgMaxSize: 2, warmPoolMaxSize: 0 });
  const fleet = new FleetSimulation({ assembly, groupName: 'runners' });
  const seen: string[] = [];
  fleet.world.engine.journal.subscribe((e) => {
    if (e.kind === 'transition' || e.kind === 'fault' || e.detail?.error) seen.push(`${new Date(e.at).toISOString().slice(11, 19)} ${e.source} ${e.name} ${e.subject ?? ''} ${JSON.stringify(e.detail ?? {})}`);
  });
  try {
  await fleet.deploy();
  await fleet.until('one runner online', () => fleet.codeHost.registry.runners.some((r) => r.session !== undefined), 60 * 60_000);
  } finally { console.log(seen.slice(-60).join('\n')); }
  expect(1).toBe(1);
});
