import { execFile } from 'node:child_process';
import { TerminalError } from '@drover/core/errors';
import { type NodeCertificates, sortedName } from '@drover/search-cluster';

const limitMs = 20_000;

/**
 * The handshake of the process at a TLS port: its certificate, and the authorities whose certificates it
 * accepts (RFC 8446, 4.3.2; RFC 5246, 7.4.4). No certificate of ours is needed. Node does not pass that list on, OpenSSL does.
 */
export async function handshake(host: string, port: number): Promise<NodeCertificates> {
  const words = ['s_client', '-connect', `${host}:${port}`, '-nameopt', 'RFC2253,utf8,-esc_msb'];
  const said = await new Promise<string>((resolve, reject) => {
    const child = execFile('openssl', words, { timeout: limitMs }, (error, stdout, stderr) => {
      // A server that wants a certificate of ours ends the connection, after it has sent what is wanted here.
      if (error === null || /^issuer=/m.test(stdout)) resolve(stdout);
      else reject(new TerminalError(`nothing at ${host}:${port} speaks TLS: ${stderr.trim().split('\n').at(-1)}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
  return certificatesShown(said);
}

/** From what `openssl s_client` prints. */
export function certificatesShown(said: string): NodeCertificates {
  const issuer = /^issuer=(.*)$/m.exec(said)?.[1];
  if (issuer === undefined) throw new TerminalError('openssl shows no certificate');
  const list =
    /^Acceptable client certificate CA names\n((?:.+\n)*?)(?=Client Certificate Types|Requested Signature|---)/m;
  const names = list.exec(said)?.[1]?.trim().split('\n') ?? [];
  return { trusts: names.map(sortedName), issuer: sortedName(issuer) };
}
