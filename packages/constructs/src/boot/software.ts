import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aws, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { bootSource, builtProgram } from '../programs.ts';
import { type Architecture, nodeRuntime } from './node-runtime.ts';
import { type PackedFolder, packFolders, sha256 } from './pack.ts';

/** An archive that an instance fetches with its own role, checks and unpacks. */
export interface BootAsset {
  readonly url: string;
  readonly sha256: string;
  /** Only what begins with this is unpacked, without it. */
  readonly prefix: string;
  /** Below /opt/drover. */
  readonly into: string;
}

/** An archive with the place at which it was published. */
export interface PublishedAsset extends BootAsset {
  readonly bucketName: string;
  readonly objectKey: string;
}

export interface BootSoftwareProps {
  readonly architecture: Architecture;
  /** Built programs: name of the folder below /opt/drover → path from the root of the repository. */
  readonly programs: Readonly<Record<string, string>>;
}

/** The software of an instance, as it comes with the stack: the Puppet tree, programs, their Node. */
export class BootSoftware extends Construct {
  readonly published: readonly PublishedAsset[];

  constructor(scope: Construct, id: string, { architecture, programs }: BootSoftwareProps) {
    super(scope, id);
    const programFolders = Object.entries(programs).map(([to, path]) => ({ from: builtProgram(path), to }));
    const software = this.#software([
      { from: builtProgram('puppet'), to: 'puppet' },
      { from: bootSource('bin'), to: 'bin' },
      ...programFolders,
    ]);
    this.published = [software, this.#node(architecture)];
  }

  get assets(): readonly BootAsset[] {
    return this.published.map(({ url, sha256, prefix, into }) => ({ url, sha256, prefix, into }));
  }

  /** Read access to exactly these objects; `Asset.grantRead` would open the whole bucket. */
  grantRead(grantee: IGrantable): Grant {
    const resourceArns = this.published.map(({ bucketName, objectKey }) => objectArn(bucketName, objectKey));
    return Grant.addToPrincipal({ grantee, actions: ['s3:GetObject'], resourceArns });
  }

  #software(folders: readonly PackedFolder[]): PublishedAsset {
    const archive = packFolders(folders);
    const checksum = sha256(archive);
    const folder = mkdtempSync(join(tmpdir(), 'drover-software-'));
    const path = join(folder, `${checksum}.tar`);
    writeFileSync(path, archive);
    const { assetPath, httpUrl, s3BucketName, s3ObjectKey } = new Asset(this, 'Software', { path });
    // Copied into the assembly by now, unless staging is switched off: then it is published from here.
    if (assetPath !== path) rmSync(folder, { recursive: true });
    const place = { bucketName: s3BucketName, objectKey: s3ObjectKey };
    return { url: httpUrl, sha256: checksum, prefix: '', into: '', ...place };
  }

  /** Fetched when it is published, not when the template is written: synthesis needs no network. */
  #node(architecture: Architecture): PublishedAsset {
    const { checksum, command, displayName } = nodeRuntime(architecture);
    const source = { sourceHash: checksum, executable: [...command], displayName };
    const { httpUrl: url, bucketName, objectKey } = Stack.of(this).synthesizer.addFileAsset(source);
    return { url, sha256: checksum, prefix: 'package/bin/', into: 'node/bin', bucketName, objectKey };
  }
}

const objectArn = (bucket: string, key: string) => `arn:${Aws.PARTITION}:s3:::${bucket}/${key}`;
