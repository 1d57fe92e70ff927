import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootingInstance } from './booting-instance.ts';

/** The software as deployed, and a small program instead of the pinned Node, which is not published here. */
export function smallNode(instance: BootingInstance) {
  const [ours, node] = instance.software;
  const archive = packed(instance.folder);
  const [, bucket, ...key] = new URL(node!.url).pathname.split('/');
  instance.world.operate.putObject(bucket!, key.join('/'), archive);
  return [ours!, { ...node!, sha256: createHash('sha256').update(archive).digest('hex') }];
}

/** An archive with the layout of the npm package, in which `node` is the one that runs this test. */
function packed(folder: string): Buffer {
  mkdirSync(join(folder, 'small/package/bin'), { recursive: true });
  writeFileSync(join(folder, 'small/package/bin/node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'small/package/README.md'), 'not unpacked');
  execFileSync('tar', ['-czf', join(folder, 'small.tgz'), '-C', join(folder, 'small'), 'package']);
  return readFileSync(join(folder, 'small.tgz'));
}
