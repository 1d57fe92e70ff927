import { ClusterStage } from '@drover/stage/testing';
import { describe, expect, it } from 'vitest';
import { droverOnCluster } from './operator.test-support.ts';

describe('drover cluster grow', () => {
  it('drover cluster grow shows the volumes, grows them one node after the other and refuses to go back', async () => {
    const inputs = { masterCount: 1, dataCount: 2, separateDataVolume: true, dataVolumeSize: 500 };
    const stage = await ClusterStage.open(inputs);
    const grow = (size: string, ...more: string[]) =>
      droverOnCluster(stage, 'cluster', 'grow', '--data-volume-size', size, ...more);

    const plan = await grow('1000', '--dry-run');
    expect(plan).toMatchObject({ exitCode: 0, stderr: '' });
    expect(plan.stdout).toMatch(
      /^instance +volume +GiB +last modification\n(i-\w+ +vol-\w+ +500 +never\n){2}It would grow 2 of 2 data nodes to 1000 GiB\.\n$/,
    );

    const grown = await grow('1000', '--format', 'json');
    expect(grown.exitCode).toBe(0);
    expect(JSON.parse(grown.stdout)).toEqual({
      kind: 'grown',
      progress: { grown: 2, of: 2 },
      dataVolumeSize: 1000,
    });
    expect(grown.stderr).toContain('1 of 2 data nodes have 1000 GiB');
    expect(grown.stderr).toMatch(/raise data_volume_size to 1000 as well, so that they are launched with it\n$/);
    expect((await grow('1000', '--dry-run')).stdout).toMatch(
      /(i-\w+ +vol-\w+ +1000 +optimizing\n){2}Every data node has 1000 GiB\.\n$/,
    );

    expect(await grow('600')).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringMatching(/refused \(smaller-than-now\): the volumes have 1000 GiB.*; give 1000 or more\n$/),
    });
    expect(await grow('2000')).toMatchObject({
      exitCode: 11,
      stderr: expect.stringMatching(
        /blocked: vol-\w+ of i-\w+ is optimizing since .* Go on later with: drover cluster grow --data-volume-size 2000\n$/,
      ),
    });
  }, 120_000);

  it('drover cluster grow names the nodes whose data is on the root volume, and how they get a volume of their own', async () => {
    const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 });

    const { exitCode, stdout, stderr } = await droverOnCluster(stage, 'cluster', 'grow', '--data-volume-size', '1000');

    expect([exitCode, stdout]).toEqual([10, '']);
    expect(stderr).toMatch(
      /^refused \(no-data-volume\): the data of i-\w+, i-\w+ is on the root volume.*separate_data_volume/,
    );
  }, 120_000);

  it('drover cluster grow refuses what is no size of a volume in GiB', async () => {
    const stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 });
    for (const size of ['0', '-5', '1.5', 'much', '70000']) {
      const { exitCode, stderr } = await droverOnCluster(stage, 'cluster', 'grow', `--data-volume-size=${size}`);
      expect([size, exitCode, stderr]).toEqual([size, 2, expect.stringContaining('--data-volume-size')]);
    }
  });
});
