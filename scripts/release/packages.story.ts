import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { unzipSync } from 'fflate';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { noticesFile } from '../build/notices.ts';
import { root } from '../build/version.ts';
import { nodeFolder, nodes } from '../node/nodes.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { writeAptRepository } from './debian/apt-repository.ts';
import { writeDebs } from './debian/packages.ts';
import { type Ended, freePort, good, InstalledFolder } from './installed-folder.ts';

const versionOf = (name: string) =>
  (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;

const parametersOf = (template: string) =>
  (JSON.parse(readFileSync(template, 'utf8')) as { readonly Parameters: object }).Parameters;

const released = join(inject('released'), 'npm');
const tarballs = readdirSync(released).map((name) => join(released, name));
const tarballOf = (name: RegExp) => tarballs.find((file) => name.test(file))!;

/** Whether an archive, or one inside it, has a file with the licences of bundled code. */
function hasNotices(archive: Uint8Array): boolean {
  const bytes = Buffer.from(archive);
  if (bytes.includes(noticesFile)) return true;
  if (bytes.readUInt16BE(0) === 0x1f8b) return hasNotices(gunzipSync(bytes));
  const isZip = bytes.subarray(0, 2).toString() === 'PK';
  return isZip && Object.values(unzipSync(archive)).some((file) => file.length > 2 && hasNotices(file));
}

it.each(['npm', 'python', 'go', 'java', 'dotnet'])(
  'every archive in %s has the licences of what is bundled',
  (kind) => {
    const folder = join(inject('released'), kind);
    const archives = readdirSync(folder);
    expect(archives.length).toBeGreaterThan(0);
    expect(archives.filter((name) => !hasNotices(readFileSync(join(folder, name))))).toEqual([]);
  },
);

describe('the packages for npm', () => {
  it.each(['constructs', 'drover', 'local', 'cluster-cli'])('publint has nothing to say about %s', async (name) => {
    const { messages } = await publint({ pkgDir: join(root, '.cache/release/packages', name), strict: true });
    expect(messages).toEqual([]);
  });

  it.each([
    [
      'constructs',
      ['lib', 'apps/runner-agent/dist', 'apps/cluster-cli/dist', 'apps/functions/dist/certificate-authority'],
    ],
    ['drover', ['apps/drover/dist', 'apps/console/dist']],
    ['local', ['packages/local/dist', 'apps/console/dist', 'apps/runner-agent/dist', 'apps/cluster-cli/dist']],
    ['cluster-cli', ['dist']],
  ])('the package %s has the licences of what is bundled in it', (name, folders) => {
    const files = folders.map((folder) => join(root, '.cache/release/packages', name, folder, noticesFile));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('types of @drover/constructs are found by every way of resolving modules', async () => {
    const tarball = new Uint8Array(readFileSync(tarballOf(/drover-constructs-/)));
    // A file that tools of jsii read, and no module.
    const excludeEntrypoints = ['./.jsii'];
    const result = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints });
    expect(result.types === false ? ['no types'] : result.problems).toEqual([]);
  });
});

describe('the tarball of drover alone in an empty folder', () => {
  const folder = new InstalledFolder();
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

  it('the command of an operator takes at most 60 MB and says which package has the laptop’s part', async () => {
    folder.write('package.json', { private: true, type: 'module' });
    good(await folder.run(`npm install --offline --no-audit --no-fund ${tarballOf(/\/drover-\d/)}`));
    expect(Number.parseInt(good(await folder.run('du -sm node_modules')), 10)).toBeLessThanOrEqual(60);
    expect(good(await folder.run('npx drover fleet status --help'))).toContain('Usage: drover fleet status');
    const { code, stderr } = await folder.run('npx drover local');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/npm install \.\/drover-local-.*\.tgz\n$/)]);
  });
});

describe('the bill of materials', () => {
  const folder = new InstalledFolder();
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

  it('the bill of materials is valid by the schema of CycloneDX 1.6', async () => {
    folder.write('package.json', { private: true, type: 'module' });
    folder.write('sbom.cdx.json', billOfMaterials(readFileSync(join(root, 'package-lock.json'), 'utf8')));
    folder.write(
      'validate.js',
      `import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
       import { readFileSync } from 'node:fs';
       const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
       console.log(JSON.stringify(await validator.validate(readFileSync('sbom.cdx.json', 'utf8'))));`,
    );
    const needed = '@cyclonedx/cyclonedx-library@10.3.0 ajv@8.17.1 ajv-formats@3.0.1 ajv-formats-draft2019@1.6.1';
    good(await folder.run(`npm install --prefer-offline --omit=optional --no-audit --no-fund ${needed}`));
    expect(good(await folder.run('node validate.js')).trim()).toBe('null');
    good(await folder.run(`sed -i 's/"type": "library"/"type": "libary"/' sbom.cdx.json`));
    expect(good(await folder.run('node validate.js'))).toContain('must be equal to one of the allowed values');
  });
});

describe('installed into an empty folder', () => {
  const folder = new InstalledFolder();
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

  it('the packages can be installed with nothing but their own dependencies', async () => {
    folder.write('package.json', { private: true, type: 'module' });
    const beside = ['aws-cdk-lib', 'constructs', 'typescript', '@types/node'].map(
      (name) => `${name}@${versionOf(name)}`,
    );
    good(await folder.run(`npm install --prefer-offline --no-audit --no-fund ${[...tarballs, ...beside].join(' ')}`));
    const installed = join(folder.path, 'node_modules/@drover/constructs');
    accessSync(join(installed, 'packages/constructs/src/boot/bin/configure'), constants.X_OK);
    expect(good(await folder.run(`find node_modules/@drover node_modules/drover -name '*.test.ts'`))).toBe('');
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
  });

  it('a strict app in TypeScript that uses the constructs with its own VPC has no type error', async () => {
    folder.copyApp('app.ts');
    folder.write('tsconfig.json', {
      compilerOptions: {
        strict: true,
        noUncheckedIndexedAccess: true,
        module: 'nodenext',
        target: 'es2023',
        types: ['node'],
        outDir: 'built',
      },
      files: ['app.ts'],
    });
    good(await folder.run('npx tsc'));
  });

  it('the app is synthesised', async () => {
    good(await folder.run('CDK_VALIDATION=false node built/app.js'));
    expect(existsSync(join(folder.path, 'cdk.out/search.template.json'))).toBe(true);
  });

  it.each(nodes)('on Node %s the app has the same templates, and drover local plays it once', async (major) => {
    const on = (line: string) => folder.run(`export PATH=${nodeFolder(major)}:$PATH; ${line}`);
    const templates = 'cat cdk.out/*.template.json';
    const first = good(await folder.run(templates));
    good(await on('CDK_VALIDATION=false node built/app.js'));
    expect(good(await on(templates)) === first).toBe(true);
    expect(good(await on('node --version'))).toMatch(new RegExp(`^v${major}\\.`));
    good(await on('npx drover local --assembly cdk.out --once'));
    good(await on('npx cluster-cli --version'));
  });

  it('drover local deploys the app, cluster-cli reports the health of its cluster, and the released template can be deployed beside it', async () => {
    const [console_, aws, platform, search] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort('127.0.1.1'),
    ];
    const ports = `--console-port ${console_} --aws-port ${aws} --platform-port ${platform} --search-port ${search}`;
    const interrupt = await folder.start(`npx drover local --assembly cdk.out ${ports}`, 'drover local ready');
    try {
      const shell = (line: string) => folder.run(`. .drover/local.env; ${line}`);
      expect(good(await shell('cluster-cli cluster-health'))).toMatch(/green/);
      expect(good(await shell('drover fleet status'))).toContain('builders');
      await deployTemplate(shell);
      expect(await (await fetch(`http://127.0.0.1:${console_}/`)).text()).toContain('<html');
    } finally {
      await interrupt();
    }
  });

  /** The template of the release, with the AWS command line alone, into the network of the app. */
  async function deployTemplate(shell: (line: string) => Promise<Ended>): Promise<void> {
    const { writeTemplates } = await import('./cloudformation.ts');
    writeTemplates(join(folder.path, 'cloudformation'));
    for (const name of ['runner-fleet', 'search-cluster', 'search-ui'])
      expect(Object.keys(parametersOf(join(folder.path, `cloudformation/${name}.template.json`)))).toContain('VpcId');
    const subnets = good(
      await shell(
        "aws ec2 describe-subnets --filters Name=tag:aws-cdk:subnet-type,Values=Private --output text --query 'Subnets[].[VpcId,SubnetId]'",
      ),
    );
    const [[vpc, a] = [], [, b] = [], [, c] = []] = subnets.split('\n').map((row) => row.split('\t'));
    const secret = good(
      await shell('aws secretsmanager create-secret --name github --secret-string t --query ARN --output text'),
    ).trim();
    const parameters = Object.entries({
      AssetBucket: 'release-assets',
      VpcId: vpc,
      SubnetA: a,
      SubnetB: b,
      SubnetC: c,
      PlatformOrg: 'acme',
      PlatformTokenSecretArn: secret,
      MinSize: 2,
    }).map(([key, value]) => `ParameterKey=${key},ParameterValue=${value}`);
    const url = 'https://release-assets.s3.eu-west-1.amazonaws.com/runner-fleet.template.json';
    // Without the archive of Node, which the machines of the embedded cloud do not need.
    good(
      await shell(`aws s3 mb s3://release-assets
        aws s3 cp --recursive --exclude '*' --include '*.zip' --include '*.tar' cloudformation/assets s3://release-assets/
        aws s3 cp cloudformation/runner-fleet.template.json s3://release-assets/
        aws cloudformation create-stack --stack-name released --template-url ${url} \\
          --capabilities CAPABILITY_NAMED_IAM --parameters ${parameters.join(' ')}`),
    );
    const status =
      'aws cloudformation describe-stacks --stack-name released --output text --query Stacks[0].StackStatus';
    good(await shell(`while [ "$(${status})" = CREATE_IN_PROGRESS ]; do sleep 1; done`));
    expect(good(await shell(status)).trim()).toBe('CREATE_COMPLETE');
    const size = `aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names released \\
      --output text --query 'AutoScalingGroups[0].[MinSize,MaxSize]'`;
    expect(good(await shell(size)).trim()).toBe('2\t6');
  }

  it('drover synth writes the template of a configuration file with its assets', async () => {
    const file = 'node_modules/@drover/local/examples/search-cluster/cluster.yaml';
    const template = good(await folder.run(`npx drover synth ${file} --out own`)).trim();
    expect(Object.keys(parametersOf(join(folder.path, template)))).toContain('AssetBucket');
  });

  it('drover what-if replays the trace that comes with the package', async () => {
    const examples = 'node_modules/@drover/local/examples/what-if';
    const report = good(
      await folder.run(`npx drover what-if ${examples}/small.yaml --jobs ${examples}/burst.csv --hours 1`),
    );
    expect(report).toContain('small');
  });
});

describe.skipIf(!existsSync('/usr/bin/dpkg'))('the packages for Debian', () => {
  const folder = new InstalledFolder();
  let debs: readonly string[];
  beforeAll(() => {
    debs = writeDebs(folder.path, [process.arch === 'arm64' ? 'arm64' : 'amd64']);
  });
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

  it('dpkg installs them, and cluster-cli and runner-agent run on the Node that comes with them', async () => {
    good(
      await folder.run(`mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates && touch root/var/lib/dpkg/status
      dpkg --root=$PWD/root --force-depends --force-not-root --log=/dev/null -i ${debs.join(' ')}`),
    );
    expect(good(await folder.run('root/usr/bin/cluster-cli --version'))).toMatch(/\d+\.\d+\.\d+/);
    expect(good(await folder.run('root/usr/bin/runner-agent --help'))).toContain('runner-agent');
    const copyright = readFileSync(join(folder.path, 'root/usr/share/doc/drover-node/copyright'), 'utf8');
    const notices = good(await folder.run(`cd root && find . -name ${noticesFile} | sort`));
    expect(notices).toMatch(/cluster-cli.*\n.*runner-agent/);
    expect(copyright).toMatch(/^Node\.js is licensed for use as follows/);
  });

  it.skipIf(!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/gpg'))(
    'apt finds the packages in the repository of the release, and trusts it by its key alone',
    async () => {
      good(
        await folder.run(`mkdir -m 700 gpg && gpg --homedir gpg --batch --quiet --passphrase '' --quick-generate-key release ed25519 sign
        gpg --homedir gpg --batch --armor --export-secret-keys > key.asc; gpgconf --homedir gpg --kill all
        mkdir -p repository state/lists/partial cache/archives/partial && cp *.deb repository`),
      );
      const repository = join(folder.path, 'repository');
      writeAptRepository(repository, '1.0.0', 1_700_000_000, join(folder.path, 'key.asc'));
      const apt = `apt-get -o Dir::State=$PWD/state -o Dir::State::status=$PWD/root/var/lib/dpkg/status -o Dir::Cache=$PWD/cache \\
        -o Dir::Etc::sourcelist=$PWD/drover.list -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root`;
      folder.write('drover.list', `deb [signed-by=${repository}/drover-archive-keyring.asc] file:${repository} ./\n`);
      good(await folder.run(`${apt} update --error-on=any`));
      expect(
        good(
          await folder.run(
            `apt-cache -o Dir::State=$PWD/state -o Dir::Cache=$PWD/cache -o Dir::Etc::sourcelist=$PWD/drover.list -o Dir::Etc::sourceparts=/dev/null policy cluster-cli`,
          ),
        ),
      ).toContain('Candidate:');
      good(await folder.run('sed -i s/cluster-cli/cluster-clj/ repository/Packages && rm repository/Packages.gz'));
      expect(
        (await folder.run(`rm -r state/lists/* && mkdir -p state/lists/partial && ${apt} update --error-on=any`)).code,
      ).not.toBe(0);
    },
  );

  it.skipIf(!existsSync('/usr/bin/lintian'))(
    'lintian finds errors in the unchanged program of Node alone',
    async () => {
      const { stdout } = await folder.run(`lintian --no-cfg --allow-root ${debs.join(' ')}`);
      const errors = [...stdout.matchAll(/^E: (\S+: \S+)/gm)].map(([, text]) => text).sort();
      expect(errors).toEqual([
        'drover-node: copyright-file-contains-full-apache-2-license',
        'drover-node: copyright-not-using-common-license-for-gpl',
        'drover-node: embedded-library',
        'drover-node: unstripped-binary-or-object',
      ]);
    },
  );
});
