import { parse } from 'yaml';
import type { InstanceFacts } from './instance-user-data.ts';

/** What a stack would know of an instance, the addresses as long as they get. */
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

interface Document {
  readonly packages: readonly string[];
  readonly write_files: readonly { readonly path: string; readonly content: string }[];
  readonly runcmd: readonly string[];
}

/** User data as cloud-init reads it. */
export const readUserData = (text: string) => parse(text, { version: '1.1' }) as Document;

/** The facts that it gives to Puppet. */
export const readFacts = (text: string) =>
  JSON.parse(readUserData(text).write_files.find(({ path }) => path.endsWith('/facts.d/custom.json'))!.content);
