/** Writes docs/reference/constructs.md: the reference of the constructs, from their comments. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const constructsPage = `${root}docs/reference/constructs.md`;

const sources = `${root}packages/constructs/src/`;

/** The last line of the page: a digest of every comment and of the line after it, by which a test knows cheaply whether the page is current. */
export function sourcesNote(): string {
  const index = readFileSync(`${sources}index.ts`, 'utf8');
  const files = [...index.matchAll(/from '\.\/([^']+)'/g)].map(([, file]) => file!);
  const documented = [...new Set(files)].flatMap(
    (file) => readFileSync(`${sources}${file}`, 'utf8').match(/\/\*\*[\s\S]*?\*\/\n.*/g) ?? [],
  );
  const digest = createHash('sha256').update(index).update(documented.join('\n')).digest('hex').slice(0, 16);
  return `<!-- Written by scripts/docs/constructs.ts from comments with the digest ${digest}: change those, not this. -->`;
}

/** The page as Markdown, read from the sources, which takes some seconds. */
export async function constructsReference(): Promise<string> {
  const { Application } = await import('typedoc');
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
  return `${readFileSync(`${root}.cache/typedoc/constructs.md`, 'utf8').trimEnd()}\n\n${sourcesNote()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(constructsPage, await constructsReference());
