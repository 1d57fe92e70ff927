/** Declarations of a package without the sources: those that its entry reaches, ours from other packages among them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const specifier = /(?<=\b(?:from|import)\s*\(?['"])(?:\.{1,2}\/|@drover\/)[^'"]+(?=['"])/g;

/** By path and not by name: declarations of what is found in node_modules are not emitted. */
function corePaths(root: string): Record<string, string[]> {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  };
  return Object.fromEntries(
    Object.entries(exports).map(([key, file]) => [join(name, key), [join(root, 'packages/core', file)]]),
  );
}

/** Writes `outdir/index.d.ts` and what it imports; `entry` is a path from the root of the repository. */
export function writeDeclarations(root: string, entry: string, outdir: string): void {
  const options = ts.parseJsonConfigFileContent(
    {
      ...ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
      files: [entry],
      include: [],
    },
    ts.sys,
    root,
    { noEmit: false, declaration: true, emitDeclarationOnly: true, paths: corePaths(root) },
  ).options;
  const program = ts.createProgram([join(root, entry)], options);
  const texts = new Map<string, string>();
  program.emit(undefined, (_, text, __, ___, sources) => void texts.set(sources![0]!.fileName, text), undefined, true);
  const source = dirname(join(root, entry));
  const nameOf = (file: string) =>
    (file.startsWith(source)
      ? relative(source, file)
      : relative(join(root, 'packages'), file).replace('/src/', '/')
    ).replace(/\.ts$/, '');
  const written = new Set<string>();
  const write = (file: string) => {
    if (written.has(file)) return;
    written.add(file);
    const name = nameOf(file);
    const text = texts.get(file)!.replace(specifier, (module) => {
      const { resolvedModule } = ts.resolveModuleName(
        module,
        file,
        options,
        ts.sys,
        undefined,
        undefined,
        ts.ModuleKind.ESNext,
      );
      write(resolvedModule!.resolvedFileName);
      const path = relative(dirname(name), nameOf(resolvedModule!.resolvedFileName));
      return `${path.startsWith('.') ? '' : './'}${path}.js`;
    });
    const target = join(outdir, `${name}.d.ts`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  write(join(root, entry));
}
