import { createHash } from 'node:crypto';
import { TerminalError } from '@drover/core';
import { nextSoftware, softwareNoteFile, softwareTag } from '@drover/core/names/search-cluster';
import { reportText, type SoftwarePointer, type TakeOutcome, takeSoftware } from '@drover/search-cluster';
import type { OwnSoftware } from '@drover/search-cluster/ports';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { restartRun } from '../cluster/restart.ts';
import { refused } from '../refused.ts';

/** Takes the software that was fetched for this node, one node of the cluster at a time. */
export async function takeThisSoftware(
  context: Context,
  { options }: CommandInput<'node take-software'>,
): Promise<number> {
  const run = { ...restartRun(context), software: await ownSoftware(context) };
  return finish(context, await takeSoftware(run, options.waitUntilComplete * 1000));
}

function finish(context: Context, outcome: TakeOutcome): number {
  switch (outcome.kind) {
    case 'taken':
      context.log.info(
        `this node has software ${outcome.software.version} (${outcome.software.digest})${outcome.restarted ? ', and Elasticsearch was started again with other settings' : ''}`,
      );
      return exitCodes.done;
    case 'refused':
      return refused(context, outcome.refusal);
    case 'waits':
      context.log.error(`timed out: ${outcome.because}. Nothing was changed`);
      return exitCodes.timedOut;
    case 'failed':
      context.log.error(outcome.because);
      return exitCodes.failed;
  }
}

/** Files that Elasticsearch reads when it starts, and not again. */
const startFiles = [
  '/etc/elasticsearch/elasticsearch.yml',
  '/etc/elasticsearch/elasticsearch.keystore',
  '/etc/elasticsearch/jvm.options.d/heap.options',
  '/etc/systemd/system/elasticsearch.service.d/drover.conf',
];
const pluginFolder = '/usr/share/elasticsearch/plugins';

async function ownSoftware(context: Context): Promise<OwnSoftware> {
  const { files } = context.io;
  const { tags } = (await context.aws()).roles;
  const instanceId = await context.metadata.instanceId();
  return {
    next: () => readJson<SoftwarePointer>(context, `${nextSoftware}/software.json.next`),
    install: async () => void (await program(context, `${nextSoftware}/bin/take-software`, [], [0])),
    configure: async () => (await program(context, '/opt/drover/bin/configure', ['--changes'], [0, 2])) === 2,
    startFiles: () => digestOf(context),
    noted: async (digest) => {
      const note = await readJson<{ readonly digest: string; readonly startFiles?: string }>(context, softwareNoteFile);
      return note?.digest === digest ? note.startFiles : undefined;
    },
    note: (digest, before) => files.write(softwareNoteFile, `${JSON.stringify({ digest, startFiles: before })}\n`),
    report: (report) => tags.set(instanceId, { [softwareTag]: reportText(report) }),
  };
}

async function readJson<T>({ io: { files } }: Context, path: string): Promise<T | undefined> {
  const text = await files.read(path);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

async function program(context: Context, path: string, words: readonly string[], allowed: readonly number[]) {
  const { program: run } = context.io;
  if (run === undefined) throw new TerminalError('there are no programs of Drover on this host');
  const { exitCode, stderr } = await run(path, words);
  if (allowed.includes(exitCode)) return exitCode;
  throw new TerminalError(`${path} failed: ${stderr.trim().split('\n').at(-1) || `exit code ${exitCode}`}`);
}

async function digestOf({ io: { files } }: Context): Promise<string> {
  const plugins = (await files.list(pluginFolder)).map((name) => name.split('/')[0]!);
  const descriptors = [...new Set(plugins)]
    .sort()
    .map((name) => `${pluginFolder}/${name}/plugin-descriptor.properties`);
  const hash = createHash('sha256');
  for (const path of [...startFiles, ...descriptors]) hash.update(JSON.stringify([path, await files.read(path)]));
  return hash.digest('hex');
}
