import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalProcess, ownPath } from '../../apps/drover/test/outside/local-process.ts';
import { outsideClient } from '../../cloud/aws/test/outside/outside-client.ts';
import { type Block, blocksOf, root, textOf, typedPages } from './pages.ts';

const clients = [outsideClient('aws', 'apt-get install awscli'), outsideClient('curl', 'apt-get install curl')];
const missing = clients.find((client) => client.missing);

/** This starts a world, and one serves all pages. */
const startsWorld = /^drover local|^npm start/m;

const typedBlocks = (page: string) =>
  blocksOf(textOf(page)).filter(
    ({ language, notRun, text }) => language === 'sh' && notRun === undefined && !startsWorld.test(text),
  );

describe.skipIf(missing !== undefined)(`the documents on one embedded cloud ${missing?.reason ?? ''}`.trim(), () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-docs-'));
  let local: LocalProcess | undefined;

  beforeAll(async () => {
    const tutorial = blocksOf(textOf('docs/tutorial/first-deployment.md'));
    for (const { file, text } of tutorial) if (file !== undefined) writeFileSync(join(folder, file), text);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    writeFileSync(join(folder, 'token.txt'), 'a token');
    writeFileSync(join(folder, 'my-app.private-key.pem'), 'a key');
    writeCommands(join(folder, 'bin'));
    const start = tutorial.find(({ text }) => startsWorld.test(text))!;
    await typed(start.text.replace(startsWorld, ': $&'));
    // Without jobs of its own the fleet keeps its size: minutes pass between the commands, and no instance that a page has named is gone.
    const options = ['--speed', '300', '--seed', 'docs', '--jobs-per-hour', '0'];
    local = await LocalProcess.start('--assembly', join(folder, 'cdk.out'), ...options);
    symlinkSync(local.state, join(folder, '.drover'));
  });
  afterAll(async () => {
    expect(await local?.stop()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });

  /** One shell for a page, in the folder of the tutorial's app, that has read `local.env`. */
  function typed(script: string): Promise<void> {
    const env = { PATH: `${join(folder, 'bin')}:${ownPath}`, HOME: folder, CDK_VALIDATION: 'false' };
    return new Promise((resolve, reject) => {
      const shell = ['--norc', '-euo', 'pipefail', '-c', `[ ! -e .drover ] || . .drover/local.env\n${script}`];
      execFile('/bin/bash', shell, { cwd: folder, env, maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
        if (error === null) resolve();
        else reject(new Error(`exit code ${error.code}\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`));
      });
    });
  }

  it.each(typedPages.filter((page) => typedBlocks(page).length > 0))(
    'the shell blocks of %s can be typed one after the other',
    async (page) => {
      await typed(typedBlocks(page).map(announced).join('\n'));
    },
  );
});

/**
 * The typed text, after the number of its block: a failure names it. A doctor that finds something ends with 1, one
 * that cannot read a part with 3: both are results.
 */
const announced = ({ text }: Block, at: number): string =>
  `echo 'block ${at + 1}' >&2\n${text.replaceAll(/^drover \w+ doctor.*$/gm, '{ $&; } || case $? in 1|3) true ;; *) false ;; esac')}`;

/** `npx` without its search, which takes as long as the commands; `sudo` runs a command of a node here. */
function writeCommands(bin: string): void {
  mkdirSync(bin);
  const programs = join(root, 'node_modules/.bin');
  for (const name of ['npx', 'sudo']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprogram=$1\nshift\nexec '${programs}'/"$program" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
}
