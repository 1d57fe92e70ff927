/** Modules for Terraform and OpenTofu, one for each construct. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moduleFiles } from './module.ts';

/** The templates of each module. */
const modules = {
  'runner-fleet': ['runner-fleet', 'runner-fleet-arm64'],
  'search-cluster': ['search-cluster', 'search-cluster-arm64'],
  'search-ui': ['search-ui'],
} as const;

/** Writes the modules into `outdir`, beside the folder that has the templates. */
export function writeModules(outdir: string, templateFolder: string): void {
  for (const [name, templates] of Object.entries(modules)) {
    mkdirSync(join(outdir, name), { recursive: true });
    for (const [file, text] of Object.entries(moduleFiles(templateFolder, name, templates)))
      writeFileSync(join(outdir, name, file), text);
  }
  copyFileSync(join(import.meta.dirname, 'README.md'), join(outdir, 'README.md'));
}
