import { createHash } from 'node:crypto';
import { copyArchive, softwarePointer } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { softwareEnvironment as keys, softwareFolder } from '@drover/core/names/search-cluster';
import { pointTo, type SoftwarePointer, type WantedSoftware, whyNoNewGroup } from '@drover/search-cluster';
import { type CustomResourceEvent, customResource, property } from '../custom-resource.ts';
import { type ModuleRuntime, required } from '../module-function.ts';

type Runtime = ModuleRuntime<'s3'>;

const keptRequests = 20;

/** An archive among the stack's assets. */
interface Asset {
  readonly Bucket: string;
  readonly Key: string;
  readonly Sha256: string;
  readonly Prefix: string;
  readonly Into: string;
}

/** The request of an operator about the software with this digest: withdraw it, or note that every node has it. */
interface OperatorRequest {
  readonly back?: string;
  readonly proven?: string;
}

/**
 * The only writer of the software's folder in the state bucket. Behind `Custom::Software` it copies the archives of the
 * stack there, then points to them; an operator may have the last proven pointer written back, and the
 * current one marked as proven.
 */
export function softwareFunction(runtime: Runtime): (event: unknown) => Promise<unknown> {
  const { env, aws, log } = runtime;
  const pointer = softwarePointer(aws, required(env, keys.stateBucket));
  const request = customResource(runtime, async (event) => {
    if (event.RequestType !== 'Delete') {
      const assets = event.ResourceProperties.Archives as readonly Asset[];
      for (const { Bucket, Key, Sha256 } of assets)
        await copyArchive(aws, { Bucket, Key }, { Bucket: required(env, keys.stateBucket), Key: keyOf(Sha256) });
      const wanted = softwareIn(event, assets);
      await pointer.change((current) => carryOut(current, event.RequestId, wanted));
      log.info('the nodes are to have other software', { version: wanted.version, digest: wanted.digest });
    }
    // One resource for the life of the stack, whatever it points to.
    return event.PhysicalResourceId ?? 'software';
  });
  return async (event) => {
    if ((event as Partial<CustomResourceEvent>).ResponseURL !== undefined) return await request(event);
    const { back, proven } = event as OperatorRequest;
    const { version, digest } = await pointer.change((current) => {
      if (current === undefined || current.digest !== (back ?? proven))
        throw new TerminalError(
          `the current software is ${current?.digest ?? 'unknown'}, not ${back ?? proven}: nothing is changed`,
        );
      return back === undefined ? { ...current, proven: true } : pointBack(current);
    });
    log.info(back === undefined ? 'every node has the software' : 'the nodes are to have the software of before', {
      version,
      digest,
      ...(back === undefined ? {} : { instead: back }),
    });
    return { version, digest };
  };
}

/** Once: a request that comes again after the next one would bring the software of before back. */
function carryOut(current: SoftwarePointer | undefined, id: string, wanted: WantedSoftware): SoftwarePointer {
  const { requests = [] } = current ?? {};
  if (current !== undefined && requests.includes(id)) return current;
  const refusal = whyNoNewGroup(current, wanted);
  if (refusal !== undefined) throw new TerminalError(refusal);
  return { ...pointTo(current, wanted), requests: [id, ...requests].slice(0, keptRequests) };
}

function pointBack(current: SoftwarePointer): SoftwarePointer {
  const { before, requests = [] } = current;
  if (before !== undefined) return { ...pointTo(current, before), requests };
  throw new TerminalError(`there is no software before ${current.version} (${current.digest}) to go back to`);
}

const keyOf = (sha256: string) => `${softwareFolder}${sha256}`;

function softwareIn(event: CustomResourceEvent, assets: readonly Asset[]): WantedSoftware {
  const content = {
    version: property(event, 'Version'),
    archives: assets.map(({ Sha256: sha256, Prefix: prefix, Into: into }) => ({
      key: keyOf(sha256),
      sha256,
      prefix,
      into,
    })),
    facts: JSON.parse(property(event, 'Facts')) as WantedSoftware['facts'],
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
  return { ...content, digest, elasticsearchVersion: property(event, 'ElasticsearchVersion'), knowsGroups: true };
}
