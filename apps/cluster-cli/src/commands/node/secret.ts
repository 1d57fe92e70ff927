import { TerminalError } from '@drover/core';
import { facts as names } from '@drover/core/names/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes, UsageError } from '../../exit.ts';
import { readInstanceFacts, textFact } from '../../facts.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** Prints one of the node's secrets for the configuration agent, which reads it from a pipe. */
export async function secret(context: Context, { args, options }: CommandInput<'node secret'>): Promise<number> {
  const name = args.NAME;
  if (context.io.stdout.isTTY)
    throw new UsageError(`a secret is not shown on a terminal: pipe it to where it is needed`);
  const facts = await readInstanceFacts(context.io.files);
  const keystore = (facts.elasticsearch[names.keystoreSecrets] ?? {}) as Readonly<Record<string, string>>;
  const own = Object.keys(facts.elasticsearch).filter((key) => key.endsWith('_secret'));
  const known = [...own, ...Object.keys(keystore)];
  if (!known.includes(name)) throw new UsageError(`the facts name no secret ${name} (there are ${known.join(', ')})`);
  const secretId = keystore[name] ?? textFact(facts, name);
  const aws = await context.aws();
  const value = await aws.password(secretId, options.stage);
  if (value === undefined || value === '') throw new TerminalError(`secret ${secretId} has no value`);
  await context.io.stdout.write(value.endsWith('\n') ? value : `${value}\n`);
  return exitCodes.done;
}
