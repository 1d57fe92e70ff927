import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DroverIo } from '@drover/operator/io';
import { afterAll, describe, expect, it } from 'vitest';
import { synth } from '../src/synth/synth.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const example = readFileSync('examples/runner-fleet/fleet.yaml', 'utf8');

async function synthesise(level: string, warned: string[] = []): Promise<string> {
  const printed: string[] = [];
  const file = join(folder, 'fleet.yaml');
  writeFileSync(file, example.replace(/^platform_org:.*$/m, level));
  const io = {
    stdout: (text: string) => printed.push(text),
    stderr: (text: string) => warned.push(text),
  } as unknown as DroverIo;
  await synth(io, file, { out: join(folder, 'out') });
  return printed.join('').trim();
}

describe('drover synth', () => {
  it.each(['platform_repository: example-org/app', 'platform_enterprise: example'])(
    'drover synth knows a runner fleet by %s',
    async (level) => {
      expect(existsSync(await synthesise(level))).toBe(true);
    },
  );

  it('drover synth prints the warnings of the construct', async () => {
    const warned: string[] = [];
    await synthesise('platform_org: example-org\npasswordless_sudo: true', warned);
    expect(warned.join('')).toMatch(/^warning: runner-fleet\/RunnerFleet: .*every job become root/m);
    expect(warned.join('')).not.toContain('[ack:');
  });

  it('drover synth refuses a file without an input that names its construct, with the inputs that do', async () => {
    await expect(synthesise('')).rejects.toThrow('configures neither a runner fleet');
  });
});
