import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { command } from './commands.ts';

const validDays = '30';

/** A certificate authority for one run: it signs a certificate for each requested name. */
export class Authority {
  readonly #folder: string;
  readonly #contexts = new Map<string, Promise<SecureContext>>();
  #signing: Promise<unknown> = Promise.resolve();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(folder: string): Promise<Authority> {
    mkdirSync(folder, { recursive: true });
    const authority = new Authority(folder);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc'];
    const subject = ['-subj', '/CN=Authority of a test', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
    const files = ['-keyout', authority.#file('ca.key'), '-out', authority.#file('ca.pem')];
    await command('openssl', 'req', '-x509', ...key, ...subject, ...files, '-days', validDays);
    await command(
      'openssl',
      'ecparam',
      '-name',
      'prime256v1',
      '-genkey',
      '-noout',
      '-out',
      authority.#file('site.key'),
    );
    return authority;
  }

  /** A layer of a machine's filesystem in which OpenSSL, Node and everything else trust this authority. */
  async trustLayer(layer: string, below: string): Promise<void> {
    const certificate = readFileSync(this.#file('ca.pem'), 'utf8');
    const bundle = 'etc/ssl/certs/ca-certificates.crt';
    mkdirSync(join(layer, 'etc/ssl/certs'), { recursive: true });
    writeFileSync(join(layer, 'etc/ssl/test-authority.pem'), certificate);
    writeFileSync(join(layer, bundle), `${readFileSync(join(below, bundle), 'utf8')}${certificate}`);
    const hash = (await command('openssl', 'x509', '-noout', '-hash', '-in', this.#file('ca.pem'))).trim();
    symlinkSync('/etc/ssl/test-authority.pem', join(layer, `etc/ssl/certs/${hash}.0`));
  }

  /** The context with which a server is `name`. */
  contextFor(name: string): Promise<SecureContext> {
    const known = this.#contexts.get(name);
    if (known !== undefined) return known;
    // One after the other: two runs of openssl at once would write the same file of serial numbers.
    const signed = this.#signing.then(() => this.#sign(name));
    this.#signing = signed.catch(() => this.#contexts.delete(name));
    this.#contexts.set(name, signed);
    return signed;
  }

  async #sign(name: string): Promise<SecureContext> {
    if (!/^[a-z0-9._-]+$/i.test(name)) throw new Error(`no certificate for ${JSON.stringify(name)}`);
    const [request, extensions, signed] = ['csr', 'ext', 'pem'].map((kind) => this.#file(`${name}.${kind}`));
    // A common name has at most 64 characters; clients read the alternative name only.
    await command('openssl', 'req', '-new', '-key', this.#file('site.key'), '-subj', '/CN=site', '-out', request!);
    writeFileSync(extensions!, `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\n`);
    const by = ['-CA', this.#file('ca.pem'), '-CAkey', this.#file('ca.key'), '-CAcreateserial'];
    await command(
      'openssl',
      ...['x509', '-req', '-in', request!, ...by, '-days', validDays, '-extfile', extensions!, '-out', signed!],
    );
    return createSecureContext({ key: readFileSync(this.#file('site.key')), cert: readFileSync(signed!) });
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }
}
