import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Served, serve } from '@drover/cloud-engine';

const source = (path: string) => fileURLToPath(new URL(`../../src/boot/${path}`, import.meta.url));

/** The programs that `bin/image` runs, each of which notes how it was called. */
const programs = ['systemctl', 'cloud-init', 'apt-get', 'dpkg-query'] as const;

export interface Booted {
  readonly code: number | null;
  readonly said: string;
}

/**
 * A folder that is the disk of a host with a baked image, on which `bin/image` runs as the boot script starts it. The
 * metadata service and S3 are one server.
 */
export class BakedHost {
  readonly folder = mkdtempSync(join(tmpdir(), 'baked-host-'));
  readonly root = join(this.folder, 'root');
  readonly home = join(this.root, 'opt/drover');
  readonly facts = join(this.folder, 'facts/custom.json');
  /** Tags of the instance. */
  tags: Record<string, string> = {};
  /** Objects of the bucket, by path. */
  readonly objects = new Map<string, string>();
  readonly asked: string[] = [];
  #server!: Served;

  async open(): Promise<void> {
    this.#server = await serve(async ({ method, path, body }) => {
      const { status, text } = this.#answer(method, decodeURIComponent(path), body);
      return { status, headers: {}, body: text };
    });
    for (const program of programs) this.program(program);
    this.write('opt/drover/boot.py', readFileSync(source('boot.py'), 'utf8'));
    mkdirSync(join(this.home, 'bin'), { recursive: true });
    cpSync(source('bin/image'), join(this.home, 'bin/image'));
    for (const program of ['configure', 'runner-agent']) this.script(join(this.home, 'bin', program), program);
  }

  async close(): Promise<void> {
    await this.#server.close();
    rmSync(this.folder, { recursive: true });
  }

  /** `change` is put over the facts of the boot script, `baked` over the fact `baked_image`. */
  writeFacts(change: object = {}, baked: object = {}): void {
    const { url } = this.#server;
    const drover = {
      home: this.home,
      metadata: url,
      patience: 0,
      marks: join(this.root, 'run/drover'),
      region: 'eu-west-1',
      module_version: '1.2.3',
      packages: ['git', 'jq'],
      software: [
        { into: '', sha256: 'a'.repeat(64), url: `${url}/software` },
        { into: 'node/bin', sha256: 'b'.repeat(64), url: `${url}/node` },
      ],
      launch: { endpoint: `${url}/` },
      baked_image: { root: this.root, wait: 0, ...baked },
      ...change,
    };
    const actions_runner = {
      host_reports: 'memory/hosts/arn:',
      runner_version: '2.330.0',
      runner_checksum: 'c'.repeat(64),
    };
    mkdirSync(dirname(this.facts), { recursive: true });
    writeFileSync(this.facts, JSON.stringify({ drover, actions_runner }));
  }

  get mirror() {
    return { bucket: `${this.#server.url}/memory`, object: 'runner/current.json' };
  }

  /** A program on the path, which notes its call and then runs `body`. */
  program(name: (typeof programs)[number], body = ''): void {
    this.script(join(this.folder, 'path', name), name, body);
  }

  script(path: string, name: string, body = ''): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho "${name} $*" >>${this.folder}/calls\n${body}\n`, { mode: 0o755 });
  }

  image(command: 'boot' | 'may-serve'): Promise<Booted> {
    rmSync(join(this.folder, 'calls'), { force: true });
    const env = { PATH: `${join(this.folder, 'path')}${delimiter}${process.env.PATH}` };
    const child = spawn('python3', [join(this.home, 'bin/image'), command, this.facts], { env });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        said += data;
      });
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
  }

  /** The programs that were run, in their order. */
  get calls(): readonly string[] {
    const file = join(this.folder, 'calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string | undefined {
    const file = join(this.root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  get manifest(): Record<string, unknown> | undefined {
    const text = this.read('etc/drover/image.json');
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Bakes this host; what is next is a boot from its image. */
  async bake(id = 'b-1'): Promise<Booted> {
    this.tags = { 'drover:bake': id };
    const baked = await this.image('boot');
    this.tags = {};
    rmSync(join(this.root, 'run'), { recursive: true, force: true });
    return baked;
  }

  #answer(method: string, path: string, body: Uint8Array | string | undefined): { status: number; text: string } {
    const metadata: Record<string, string> = {
      '/latest/api/token': 'token',
      '/latest/meta-data/instance-id': 'i-1',
      '/latest/meta-data/iam/security-credentials/': 'role',
      '/latest/meta-data/iam/security-credentials/role': JSON.stringify({
        AccessKeyId: 'k',
        SecretAccessKey: 's',
        Token: 't',
      }),
      ...Object.fromEntries(
        Object.entries(this.tags).map(([key, value]) => [`/latest/meta-data/tags/instance/${key}`, value]),
      ),
    };
    if (!path.startsWith('/latest/')) this.asked.push(`${method} ${path}`);
    if (method === 'PUT' && !path.startsWith('/latest/'))
      this.objects.set(path, Buffer.from(body ?? '').toString('utf8'));
    const text = metadata[path] ?? this.objects.get(path);
    return text === undefined ? { status: 404, text: '' } : { status: 200, text };
  }
}
