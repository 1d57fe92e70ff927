import { TerminalError } from '@drover/core/errors';
import { facts as names } from '@drover/core/names/search-cluster';
import type { Files } from './io.ts';

/** What the configuration agent knows about this node; undefined members are unknown. */
export interface NodeFacts {
  readonly elasticSecret?: string;
  readonly kibanaSystemSecret?: string;
  readonly snapshotsBucket?: string;
}

/** Reads the agent's facts files; the first that knows a fact wins. */
export async function readFacts(files: Files): Promise<NodeFacts> {
  const folder = (await files.list(names.directory)).filter((name) => name.endsWith('.json')).sort();
  const documents: Record<string, unknown>[] = [];
  for (const path of [...names.files, ...folder.map((name) => `${names.directory}/${name}`)]) {
    const text = await files.read(path);
    if (text !== undefined) documents.push(parse(text, path));
  }
  const fact = (name: string) => documents.map((document) => document[name]).find((value) => typeof value === 'string');
  return {
    ...named('elasticSecret', fact(names.elasticSecret)),
    ...named('kibanaSystemSecret', fact(names.kibanaSystemSecret)),
    ...named('snapshotsBucket', fact(names.snapshotsBucket)),
  };
}

const named = (key: keyof NodeFacts, value: unknown) => (value === undefined ? {} : { [key]: value as string });

function parse(text: string, path: string): Record<string, unknown> {
  try {
    const root = (JSON.parse(text) as Record<string, unknown> | null)?.[names.root];
    return typeof root === 'object' && root !== null ? (root as Record<string, unknown>) : {};
  } catch (error) {
    throw new TerminalError(`facts file ${path} is not JSON`, {
      cause: error,
      remedy: 'let the configuration agent write it again',
    });
  }
}
