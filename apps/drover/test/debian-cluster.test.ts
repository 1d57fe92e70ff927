import { ClusterStage } from '@drover/stage/testing';
import { expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

it('a cluster of Debian can be upgraded, because each node installs the agent of Systems Manager; one without is named by upgrade and doctor', {
  timeout: 300_000,
}, async () => {
  const stage = await ClusterStage.open({ dataCount: 2, elasticsearchVersion: '8.18.8', imageFamily: 'debian-12' });
  const plan = async () => {
    const { stdout } = await droverOnCluster(
      stage,
      'cluster',
      'upgrade',
      '--to',
      '8.19.21',
      '--dry-run',
      '--format',
      'json',
    );
    return JSON.parse(stdout).blockers.map(({ check }: { check: string }) => check);
  };
  const agents = async () => {
    const { stdout } = await droverOnCluster(stage, 'cluster', 'doctor', '--format', 'json');
    return JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === 'remote-agent-failing');
  };
  expect({ blockers: await plan(), agents: await agents() }).toMatchObject({ blockers: [], agents: { verdict: 'ok' } });

  const [host] = stage.deployed.inService(stage.groups.data);
  stage.world.operate.unregisterAgent(host!);
  expect({ blockers: await plan(), agents: await agents() }).toMatchObject({
    blockers: ['every-node-reachable'],
    agents: { verdict: 'notice', evidence: expect.stringContaining(`${host} (never registered)`) },
  });
});
