import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';

const biome = 'node_modules/@biomejs/biome/bin/biome';
const outside = 'scripts/lint/planted-violation.ts';
const inside = 'cloud/world/src/planted-violation.ts';

/** The linter's output for a file of this path that reads this and nothing else. */
function lint(path: string, read: string): string {
  writeFileSync(path, `export const planted = (world, aws, stage) => ${read};\n`);
  return spawnSync(process.execPath, [biome, 'lint', path], { encoding: 'utf8' }).stderr;
}

afterEach(() => {
  for (const path of [outside, inside]) rmSync(path, { force: true });
});

const refusal = 'The services of the embedded cloud are not read from outside';

describe('the lint rule about the insides of the embedded cloud', () => {
  it.each(['world.aws.autoscaling.scaler', 'aws.ec2.instances', 'stage.fleet.world.aws.iam.authorize'])(
    'refuses %s outside of cloud/',
    (read) => {
      expect(lint(outside, read)).toContain(refusal);
    },
  );

  it.each(['world.aws.region', 'stage.aws.ec2.send(world)', 'world.observe.group(aws)'])('allows %s', (read) => {
    expect(lint(outside, read)).not.toContain(refusal);
  });

  it('allows everything below cloud/', () => {
    expect(lint(inside, 'world.aws.ec2.instances')).not.toContain(refusal);
  });
});
