/** The pages Install and Your first deployment, typed by a reader who has the files of a release and an empty folder. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { blocksOf, textOf } from '../../docs/pages.ts';
import { freePort, good, InstalledFolder } from '../installed-folder.ts';

const shellBlocks = (page: string) => blocksOf(textOf(page)).filter(({ language }) => language === 'sh');
const startsWorld = /^drover local.*$/m;

describe('the first deployment, from the files of a release', () => {
  const home = new InstalledFolder();
  const folder = join(home.path, 'my-platform');
  afterAll(() => rmSync(home.path, { recursive: true, force: true }));
  const tutorial = blocksOf(textOf('docs/tutorial/first-deployment.md'));
  /** A line in a shell as Install leaves it, in a folder below the reader's home. */
  const inFolder = (line: string) => `cd my-platform; export PATH="$PWD/node_modules/.bin:$PATH"; ${line}`;

  it('the commands of Install check the release and make a folder with its packages', async () => {
    const [install] = shellBlocks('docs/how-to/install.md');
    expect(install?.text).toMatch(/^RELEASE=.*$/m);
    const typed = install!.text.replace(/^RELEASE=.*$/m, `RELEASE=${inject('released')}`);
    good(
      await home.run(`export npm_config_prefer_offline=true npm_config_audit=false npm_config_fund=false\n${typed}`),
    );
    const commands = readdirSync(join(folder, 'node_modules/.bin'));
    expect(commands).toEqual(expect.arrayContaining(['cdk', 'cluster-cli', 'drover', 'tsx']));
  });

  it('the app of the tutorial is synthesised, and the CDK command reads what it wrote', async () => {
    for (const { file, text } of tutorial) if (file !== undefined) home.write(`my-platform/${file}`, text);
    const start = tutorial.find(({ text }) => startsWorld.test(text))!;
    good(await home.run(inFolder(start.text.replace(startsWorld, ''))));
    expect(existsSync(join(folder, 'cdk.out/search-cluster.template.json'))).toBe(true);
    const stacks = good(await home.run(inFolder('cdk list --app cdk.out')))
      .trim()
      .split('\n');
    expect(stacks.map((line) => line.split(' ')[0])).toEqual(['network', 'runner-fleet', 'search-cluster']);
  });

  it('an input that the tutorial makes wrong stops the synthesis with its name and what is allowed', async () => {
    const { text } = tutorial.find(({ file }) => file === 'app.ts')!;
    home.write('my-platform/wrong.ts', text.replace('idleRunnersTargetCount: 2', 'idleRunnersTargetCount: -1'));
    const { code, stderr } = await home.run(inFolder('npx tsx wrong.ts'));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/idle_?[rR]unners_?[tT]arget_?[cC]ount/)]);
  });

  it('drover local deploys the app, and every command of the tutorial for a second shell works there', async () => {
    const ports = [await freePort(), await freePort(), await freePort(), await freePort('127.0.1.1')];
    const options = ['--console-port', '--aws-port', '--platform-port', '--search-port'];
    const start = tutorial.find(({ text }) => startsWorld.test(text))!;
    const [command] = startsWorld.exec(start.text)!;
    const line = `${command} ${options.map((option, at) => `${option} ${ports[at]}`).join(' ')} --speed 300`;
    const interrupt = await home.start(inFolder(line), 'drover local ready');
    try {
      for (const { language, text, notRun } of tutorial)
        if (language === 'sh' && notRun === undefined && !startsWorld.test(text))
          good(
            await home.run(
              inFolder(text.replaceAll(/^drover \w+ doctor.*$/gm, '{ $&; } || case $? in 1|3) ;; *) false ;; esac')),
            ),
          );
    } finally {
      await interrupt();
    }
  });
});
