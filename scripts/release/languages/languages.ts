/** The constructs for the other languages of the CDK: a wheel for Python, a module for Go, a Maven project for Java, sources for .NET. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { installToolchain, runTool } from './toolchain.ts';
import { wheelOf } from './wheel.ts';

interface Versioned {
  version: string;
}

/** Writes what is released for other languages into folders of `outdir`, from the folder of the package for npm; returns the files. */
export function writeLanguages(constructs: string, outdir: string, work: string): readonly string[] {
  rmSync(work, { recursive: true, force: true });
  cpSync(constructs, join(work, 'package'), { recursive: true });
  const version = numbered(join(work, 'package'));
  symlinkSync(installToolchain(), join(work, 'package/node_modules'));
  const code = join(work, 'code');
  runTool('jsii-pacmak', ['--code-only', '-o', code, '-t', 'python', 'go', 'java', 'dotnet'], join(work, 'package'));
  const wheel = wheelOf(join(code, 'python'));
  return [
    write(join(outdir, 'python'), wheel.name, wheel.files),
    ...['go', 'java', 'dotnet'].map((language) =>
      write(join(outdir, language), `drover-constructs-${language}-${version}.zip`, filesBelow(join(code, language))),
    ),
  ];
}

/** Other languages want a number after `dev`, and the same version in all files; returns it. */
function numbered(folder: string): string {
  const files = ['package.json', '.jsii'].map((name) => join(folder, name));
  const contents = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Versioned);
  for (const [index, content] of contents.entries()) {
    content.version = content.version.replace(/-[a-z]+$/, '$&.0');
    writeFileSync(files[index]!, JSON.stringify(content));
  }
  return contents[0]!.version;
}

export type Files = Readonly<Record<string, Uint8Array>>;

/** jsii-pacmak writes into each class of Java when it did so. */
const withoutDate = (path: string, bytes: Uint8Array): Uint8Array =>
  path.endsWith('.java') ? Buffer.from(String(bytes).replaceAll(/, date = "[^"]*"/g, '')) : bytes;

export function filesBelow(folder: string): Files {
  const paths = (path: string): string[] =>
    statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => paths(join(path, name))) : [path];
  return Object.fromEntries(
    paths(folder).map((path) => [relative(folder, path), withoutDate(path, readFileSync(path))]),
  );
}

function write(folder: string, name: string, files: Files): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), archiveOf(files));
  return join(folder, name);
}

/** Always the same bytes: files by name, one date, one mode, and a compression that no version of Node changes. */
export function archiveOf(files: Files): Uint8Array {
  const rows = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  const options = { mtime: new Date(1980, 0, 1), os: 3, attrs: (0o100644 << 16) >>> 0 } as const;
  const tree = Object.fromEntries(rows.map(([path, bytes]) => [path, [bytes, options]])) as Zippable;
  return zipSync(tree);
}
