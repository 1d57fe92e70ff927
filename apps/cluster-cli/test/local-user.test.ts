import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { main } from '../src/main.ts';
import { processIo } from '../src/process-io.ts';
import { memoryIo, scriptedExchange } from './support/memory-io.ts';

const home = mkdtempSync(join(tmpdir(), 'local-user-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Replaces the package's tool; it records its input. */
const tool = '#!/bin/sh\necho "$* | $(tr "\\n" " ") | $ES_PATH_CONF" >> "$ES_HOME/said"\n';

it('recover-cluster gives elasticsearch-users a password by its standard input only, and removes the user when Elasticsearch refuses', async () => {
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/elasticsearch-users'), tool);
  chmodSync(join(home, 'bin/elasticsearch-users'), 0o755);
  vi.stubEnv('ES_HOME', home);
  const { exchange } = scriptedExchange({ '*': { body: {}, status: 400 } });
  const memory = memoryIo({ exchange });
  const { usersTool } = processIo(new AbortController().signal);

  const code = await main(['snapshots', 'recover-cluster', '--yes'], { ...memory.io, usersTool: usersTool! });

  expect(code).not.toBe(0);
  const said = readFileSync(join(home, 'said'), 'utf8').trim().split('\n');
  expect(said).toEqual([
    'userdel drover-recovery |  | /etc/elasticsearch',
    expect.stringMatching(/^useradd drover-recovery -r superuser \| ([a-z2-9]{32}) \1 {1,2}\| \/etc\/elasticsearch$/),
    'userdel drover-recovery |  | /etc/elasticsearch',
  ]);
});
