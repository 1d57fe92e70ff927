import { TerminalError } from '@drover/core';
import { facts as names } from '@drover/core/names/search-cluster';
import type { Files } from '../../io.ts';

/** What cloud-init wrote about this instance. */
export interface InstanceFacts {
  readonly drover: Readonly<Record<string, unknown>>;
  readonly elasticsearch: Readonly<Record<string, unknown>>;
}

const [factsFile] = names.files;

/** Reads the facts file whole; without it this is no node of ours. */
export async function readInstanceFacts(files: Files): Promise<InstanceFacts> {
  const text = await files.read(factsFile);
  if (text === undefined)
    throw new TerminalError(`there is no facts file ${factsFile}`, {
      remedy: 'run this on a search node, whose user data writes it',
    });
  try {
    const { drover, elasticsearch } = JSON.parse(text) as Partial<InstanceFacts>;
    return { drover: drover ?? {}, elasticsearch: elasticsearch ?? {} };
  } catch (error) {
    throw new TerminalError(`facts file ${factsFile} is not JSON`, { cause: error });
  }
}

/** A text among the facts of Elasticsearch. */
export function textFact(facts: InstanceFacts, name: string): string {
  const value = facts.elasticsearch[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new TerminalError(
    `the fact ${names.root}.${name} is ${JSON.stringify(value) ?? 'missing'}, but it must be a text`,
    {
      remedy: `see ${factsFile}, which the user data writes`,
    },
  );
}

/** A number of at least 1 among the facts of Elasticsearch. */
export function countFact(facts: InstanceFacts, name: string): number {
  const value = facts.elasticsearch[name];
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new TerminalError(
    `the fact ${names.root}.${name} is ${JSON.stringify(value) ?? 'missing'}, but it must be a number of at least 1`,
    { remedy: `see ${factsFile}, which the user data writes` },
  );
}
