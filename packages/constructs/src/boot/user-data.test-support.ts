import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import type { InstanceFacts } from './instance-user-data.ts';

/** Facts of a stack about an instance, with the longest possible addresses. */
export const instanceFacts: InstanceFacts = {
  region: 'eu-west-1',
  urlSuffix: 'amazonaws.com',
  moduleVersion: '1.2.3',
  software: ['', 'package/bin/'].map((prefix) => ({
    url: `https://s3.eu-west-1.amazonaws.com/cdk-hnb659fds-assets-123456789012-eu-west-1/${'b'.repeat(64)}.tar`,
    sha256: 'c'.repeat(64),
    prefix,
    into: '',
  })),
};

interface WrittenFile {
  readonly path: string;
  readonly content: string;
  readonly encoding?: string;
  readonly permissions?: string;
  readonly owner?: string;
  readonly defer?: boolean;
}

interface Document {
  readonly packages: readonly string[];
  readonly apt?: { readonly sources: Readonly<Record<string, object>> };
  readonly write_files: readonly WrittenFile[];
  readonly bootcmd: readonly string[];
  readonly runcmd: readonly string[];
}

/** User data as it is written. */
export const readDocument = (text: string) => parse(text, { version: '1.1' }) as Document;

/** User data as cloud-init reads it: files are no longer compressed. */
export function readUserData(text: string): Document {
  const document = readDocument(text);
  return { ...document, write_files: document.write_files.map(plain) };
}

function plain({ encoding, ...file }: WrittenFile): WrittenFile {
  if (encoding === undefined) return file;
  return { ...file, content: gunzipSync(Buffer.from(file.content, 'base64')).toString('utf8') };
}

/** The text of one file in user data. */
export const fileIn = (text: string, path: string) =>
  readUserData(text).write_files.find((file) => file.path === path)?.content;

/** The commands of post_runcmd in user data. */
export const commandsIn = (text: string): readonly string[] =>
  JSON.parse(fileIn(text, '/opt/drover/post-runcmd.json') ?? '[]');

/** The facts that it gives to Puppet. */
export const readFacts = (text: string) => JSON.parse(fileIn(text, '/etc/puppetlabs/facter/facts.d/custom.json')!);
