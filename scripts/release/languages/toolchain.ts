/** jsii and what it compiles against, installed from the lock file beside this one, outside of the repository's own packages. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = fileURLToPath(new URL('toolchain/', import.meta.url));
const folder = join(root, '.cache/release/toolchain');

const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<'aws-cdk-lib' | 'constructs', string>>;
};

/** The lowest versions that the released constructs are for: what they are compiled against. */
export const lowest: Readonly<Record<'aws-cdk-lib' | 'constructs', string>> = {
  'aws-cdk-lib': dependencies['aws-cdk-lib'],
  constructs: dependencies.constructs,
};

/** Installs the tools unless they are there; returns their `node_modules`. */
export function installToolchain(): string {
  const lock = 'package-lock.json';
  const [wanted, there] = [join(source, lock), join(folder, 'installed.json')];
  if (!existsSync(there) || readFileSync(there, 'utf8') !== readFileSync(wanted, 'utf8')) {
    mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', lock]) cpSync(join(source, name), join(folder, name));
    const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    cpSync(wanted, there);
  }
  return join(folder, 'node_modules');
}

/** Runs a tool in the folder of a package; what it printed is in the error if it fails. */
export function runTool(name: 'jsii' | 'jsii-pacmak', args: readonly string[], cwd: string): void {
  const program = join(folder, 'node_modules', name, 'bin', name);
  const env = { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '1' };
  try {
    execFileSync(process.execPath, [program, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${name} failed:\n${stdout}${stderr}`);
  }
}
