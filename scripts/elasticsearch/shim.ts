import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './commands.ts';

const source = join(import.meta.dirname, 'shim/SecurityIndexAnalysis.java');
const name = 'security-index-analysis';

/**
 * The test distribution is without the module `analysis-common`, but its security index names three parts of it: without them no
 * user, role or API key can be written. A plugin of a few lines takes them from Lucene, which is there.
 */
export async function installShim(home: string, version: string): Promise<void> {
  const classes = mkdtempSync(join(tmpdir(), 'drover-shim-'));
  try {
    const library = join(home, 'lib');
    const jars = readdirSync(library).filter((file) => file.endsWith('.jar'));
    const classPath = jars.map((jar) => join(library, jar)).join(':');
    await run('javac', ['--release', '17', '-nowarn', '-d', classes, '-cp', classPath, source], { limitMs: 180_000 });
    const plugin = join(home, 'plugins', name);
    mkdirSync(plugin, { recursive: true });
    await run('jar', ['cf', join(plugin, `${name}.jar`), '-C', classes, '.']);
    writeFileSync(join(plugin, 'plugin-descriptor.properties'), descriptor(version));
  } finally {
    rmSync(classes, { recursive: true });
  }
}

const descriptor = (version: string) =>
  `${[
    `name=${name}`,
    'description=what the security index needs of analysis-common',
    'version=1',
    'classname=drover.SecurityIndexAnalysis',
    'java.version=17',
    `elasticsearch.version=${version}`,
  ].join('\n')}\n`;
