/** Builds the site of the documents into docs/.vitepress/dist. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [`${root}node_modules/vitepress/bin/vitepress.js`, 'build', 'docs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
process.stdout.write(stdout);
process.stderr.write(stderr);
const warnings = `${stdout}\n${stderr}`.split('\n').filter((line) => /warn|\(!\)|deprecat/i.test(line));
if (warnings.length > 0) console.error(`the site was built with warnings:\n${warnings.join('\n')}`);
process.exit(status === 0 && warnings.length === 0 ? 0 : 1);
