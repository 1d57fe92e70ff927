/**
 * HashiCorp's own AWS provider, built from the module that the Go proxy has, with its code for CloudFormation and S3 alone: it has more than
 * 250 services, which no lane has the time to compile. Nothing of what is kept is changed; lists of services are shortened.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The proxy has no tags of the module after its first major version; this commit calls itself 6.47.1. */
const source = 'github.com/hashicorp/terraform-provider-aws@v1.60.1-0.20260602190131-5f2286d6d836';
export const providerVersion = '6.47.1';
/** S3's tags are kept by code of S3 Control. */
const services = ['cloudformation', 's3', 's3control'];
const registered = ['cloudformation', 's3'];

/** Why the provider cannot be had here. */
export class NoProvider extends Error {}

/** A folder that Terraform takes the provider from; builds it unless an earlier run did. */
export function providerMirror(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover/terraform', source.slice(-12));
  const platform = `linux_${process.arch === 'arm64' ? 'arm64' : 'amd64'}`;
  const folder = join(cache, 'registry.terraform.io/hashicorp/aws', providerVersion, platform);
  if (existsSync(folder)) return cache;
  const scratch = mkdtempSync(join(tmpdir(), 'drover-provider-'));
  try {
    copySource(scratch);
    shorten(scratch);
    const program = join(scratch, 'built', `terraform-provider-aws_v${providerVersion}`);
    go(scratch, ['build', '-trimpath', '-ldflags=-s -w', '-o', program, '.']);
    mkdirSync(join(folder, '..'), { recursive: true });
    cpSync(join(scratch, 'built'), `${folder}.new`, { recursive: true });
    renameSync(`${folder}.new`, folder);
    return cache;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function go(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('go', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (error !== undefined) throw new NoProvider(`there is no go here (${error.message})`);
  if (status !== 0) throw new NoProvider(`go ${args.join(' ')}: ${stderr.trim().split('\n').slice(-5).join('\n')}`);
  return stdout;
}

function copySource(target: string): void {
  const { Dir } = JSON.parse(go(target, ['mod', 'download', '-json', source])) as { readonly Dir: string };
  const internal = join(Dir, 'internal');
  const parts = readdirSync(internal).filter((name) => !['service', 'acctest', 'sweep', 'generate'].includes(name));
  const embedded = ['smarterr.hcl', 'cloudtrail/smarterr.hcl'];
  const paths = [
    ...['go.mod', 'go.sum', 'main.go', 'names', 'version'],
    ...parts.map((name) => `internal/${name}`),
    ...[...services, ...embedded].map((name) => `internal/service/${name}`),
  ];
  for (const path of paths)
    cpSync(join(Dir, path), join(target, path), {
      recursive: true,
      filter: (file) => !/(_test|\/sweep)\.go$|\/test-fixtures$|\/testdata$/.test(file),
    });
  // The module cache is read-only.
  spawnSync('chmod', ['-R', 'u+w', target]);
}

/** Takes all other services out of the list of services and of the clients. */
function shorten(folder: string): void {
  edit(join(folder, 'internal/provider/sdkv2/service_packages_gen.go'), (text) =>
    text
      .split('\n')
      .filter((line) => {
        const [, name] =
          /internal\/service\/(\w+)"/.exec(line) ?? /^\t\t(\w+)\.ServicePackage\(ctx\),/.exec(line) ?? [];
        return name === undefined || registered.includes(name);
      })
      .join('\n'),
  );
  edit(join(folder, 'internal/conns/awsclient_gen.go'), (text) => {
    const [head = '', ...functions] = text.split(/\n(?=func )/);
    const kept = functions.filter((one) => /^func \(c \*AWSClient\) (CloudFormation|S3|S3Control)Client\(/.test(one));
    const imports = head.split('\n').filter((line) => {
      const [, alias, name] = /^\t(?:(\w+) )?"github\.com\/aws\/aws-sdk-go-v2\/service\/(\w+)"/.exec(line) ?? [];
      return name === undefined || kept.some((one) => one.includes(`*${alias ?? name}.Client`));
    });
    return [...imports, ...kept].join('\n');
  });
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
