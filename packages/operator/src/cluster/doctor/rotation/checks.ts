import { dayMs, hourMs } from '@drover/core';
import { notice, type Outcome, ok, problem, unknown } from '../../../doctor/findings.ts';
import { listed } from '../../../render/short.ts';
import { duration } from '../../../render/table.ts';
import type { ClusterFacts } from '../facts.ts';

/** A rotation takes a password into use a day after it was stored, when a master next looks. */
const announcedMs = 2 * dayMs;

export function announcedPassword({ rotation, now }: ClusterFacts): Outcome {
  if (rotation.kind === 'failed') return unknown(`the secrets could not be read: ${rotation.message}`);
  const { announcedAt } = rotation.value;
  if (announcedAt === undefined) return ok('no other password of elastic is announced');
  const since = now - announcedAt;
  const said = `another password of elastic has been stored as AWSPENDING for ${duration(since)}`;
  if (since > announcedMs) return problem(said, 'on a master: cluster-cli passwd --username elastic finishes it');
  return notice(
    `${said}; a rotation takes it into use after a day`,
    'have programs that log in as elastic try AWSPENDING when AWSCURRENT is refused; at once, on a master: cluster-cli passwd --username elastic',
  );
}

/** Tasks of a web UI are replaced within minutes. */
const replacedMs = 2 * hourMs;

export function webUiToken({ rotation, now }: ClusterFacts): Outcome {
  if (rotation.kind === 'failed') return unknown(`the secrets could not be read: ${rotation.message}`);
  const { token } = rotation.value;
  if (token === undefined) return ok('the web UI logs in with a password');
  if (token.uses.length === 0) return ok('no web UI has said which token it has, so none is replaced');
  const late = token.uses.filter(({ isCurrent }) => !isCurrent);
  if (late.length === 0) return ok('every web UI has the current token');
  const since = now - token.changedAt;
  const said = `an earlier token has been in use for ${duration(since)}: ${listed(late.map(({ label }) => label))}`;
  if (since < replacedMs) return ok(said);
  const [{ label, versionId }] = late as [(typeof late)[number]];
  return problem(
    said,
    `see the events of the ECS service that the label names; of a web UI that is gone: aws secretsmanager update-secret-version-stage --secret-id ${token.secretId} --version-stage ${label} --remove-from-version-id ${versionId}`,
  );
}
