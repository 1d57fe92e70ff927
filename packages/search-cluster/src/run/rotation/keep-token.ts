import { type Clock, TerminalError } from '@drover/core';
import {
  decideToken,
  nameInToken,
  type TokenFacts,
  type TokenStep,
  type TokenVersion,
  tokenName,
} from '../../decide/rotation/token.ts';
import type { SecretVersion, SecretVersions, ServiceTokens } from '../../ports.ts';

export interface KeepTokenRun {
  readonly clock: Clock;
  readonly secrets: SecretVersions;
  readonly tokens: ServiceTokens;
  /** Age in days at which another one is made; undefined: never. */
  readonly everyDays: number | undefined;
}

/** Each master may have left one, in each of its lives. */
const stepLimit = 20;

/**
 * Keeps a token in the secret that lets Kibana in, and replaces it: several masters may do so at the same time. Returns
 * what was done.
 */
export async function keepToken(run: KeepTokenRun, secretId: string): Promise<string> {
  const done: string[] = [];
  for (let count = 0; count < stepLimit; count++) {
    const { facts, pending, current } = await gather(run, secretId);
    const step = decideToken(facts, run.clock.now());
    if (step.kind === 'none') return done.length === 0 ? 'unchanged' : done.join(', ');
    if (step.kind === 'promote') {
      await run.secrets.promote(secretId, pending!, current);
      if (done.at(-1) !== 'created') done.push('promoted');
    } else done.push(await apply(run, secretId, step));
  }
  throw new TerminalError(`the token in ${secretId} did not settle after ${stepLimit} steps`);
}

async function apply(run: KeepTokenRun, secretId: string, step: TokenStep): Promise<string> {
  if (step.kind === 'delete') {
    await run.tokens.delete(step.name);
    return `deleted ${step.name}`;
  }
  await run.secrets.putPending(secretId, await run.tokens.create(tokenName(run.clock.now())));
  return 'created';
}

async function gather({ secrets, tokens, everyDays }: KeepTokenRun, secretId: string) {
  const current = await secrets.read(secretId, 'AWSCURRENT');
  const pending = await secrets.read(secretId, 'AWSPENDING');
  const shown = async (version: SecretVersion | undefined): Promise<TokenVersion | undefined> =>
    version && { id: version.id, name: nameInToken(version.value), letsIn: await tokens.letsIn(version.value) };
  const uses = await secrets.labelled(secretId);
  const facts: TokenFacts = {
    current: await shown(current),
    pending: await shown(pending),
    uses: uses.map(({ label, id, value }) => ({ label, versionId: id, name: nameInToken(value) })),
    // Only where a web UI has said which one it has can another one go.
    names: uses.length === 0 ? [] : await tokens.names(),
    everyDays,
  };
  return { facts, current, pending };
}
