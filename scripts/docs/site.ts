/** Builds the site of the documents into docs/.vitepress/dist: the reference of the constructs from their sources, then all pages. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const root = fileURLToPath(new URL('../../', import.meta.url));
const constructsPage = `${root}docs/reference/constructs.md`;

/** Writes docs/reference/constructs.md from the comments of the constructs. */
async function writeConstructsReference(): Promise<void> {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [`${root}packages/constructs/src/index.ts`],
    tsconfig: `${root}scripts/docs/tsconfig.json`,
    // `npm run types` has done it.
    skipErrorChecking: true,
    out: `${root}.cache/typedoc`,
    name: 'Constructs',
    readme: 'none',
    excludeExternals: true,
    excludePrivate: true,
    disableSources: true,
    intentionallyNotExported: ['Replaceable'],
    treatWarningsAsErrors: true,
    // Of the plugin: one page, as a reader searches it.
    ...{
      outputFileStrategy: 'modules',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      sanitizeComments: true,
      parametersFormat: 'table',
      classPropertiesFormat: 'table',
      interfacePropertiesFormat: 'table',
      entryFileName: 'constructs',
    },
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the constructs could not be read');
  app.validate(project);
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('typedoc has complained');
  const text = readFileSync(`${root}.cache/typedoc/constructs.md`, 'utf8');
  writeFileSync(constructsPage, text);
}

await writeConstructsReference();
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
