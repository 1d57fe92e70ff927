import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import type { Credentials } from './transport.ts';

const needs = ['security', 'native users'] as const;

async function bob(target: ContractTarget): Promise<Credentials> {
  target.cleanup(() => target.delete('/_security/user/contract-bob'));
  await target.must('PUT', '/_security/user/contract-bob', { body: { password: 'first-password', roles: [] } });
  return { username: 'contract-bob', password: 'first-password' };
}

const enters = async (target: ContractTarget, username: string, password: string) =>
  (await target.get('/_security/_authenticate', { as: { username, password } })).status === 200;

contract(
  'a changed password is valid at once on every node',
  async (target) => {
    const { username } = await bob(target);

    await target.see('changed', 'POST', `/_security/user/${username}/_password`, {
      body: { password: 'second-password' },
    });
    expect(await enters(target, username, 'first-password')).toBe(false);
    expect(await enters(target, username, 'second-password')).toBe(true);
    await target.see('with PUT', 'PUT', `/_security/user/${username}/_password`, {
      body: { password: 'third-password' },
    });
    expect(await enters(target, username, 'second-password')).toBe(false);
    expect(await enters(target, username, 'third-password')).toBe(true);
  },
  { needs },
);

contract(
  'a user without roles can change its own password and no other',
  async (target) => {
    const as = await bob(target);

    await target.see('of another', 'POST', '/_security/user/elastic/_password', {
      as,
      body: { password: 'second-password' },
    });
    await target.see('own', 'POST', '/_security/user/_password', { as, body: { password: 'second-password' } });
    expect(await enters(target, as.username, 'second-password')).toBe(true);
  },
  { needs },
);

contract(
  'change password refuses short, empty and missing passwords and unknown users',
  async (target) => {
    const { username } = await bob(target);
    const path = `/_security/user/${username}/_password`;

    await target.see('short', 'POST', path, { body: { password: 'short' } });
    await target.see('empty', 'POST', path, { body: { password: '' } });
    await target.see('none', 'POST', path, { body: {} });
    await target.see('no body', 'POST', path);
    await target.see('unknown field', 'POST', path, { body: { password: 'long-enough', nope: 1 } });
    await target.see('hash that is none', 'POST', path, { body: { password_hash: 'nope' } });
    await target.see('of nobody', 'POST', '/_security/user/contract-ghost/_password', {
      body: { password: 'long-enough' },
    });
    expect(await enters(target, username, 'first-password')).toBe(true);
  },
  { needs },
);

contract(
  'change password sets the password of a built-in user',
  async (target) => {
    await target.see('changed', 'POST', '/_security/user/kibana_system/_password', {
      body: { password: 'kibana-password' },
    });
    expect(await enters(target, 'kibana_system', 'kibana-password')).toBe(true);
    await target.see('who', 'GET', '/_security/_authenticate', {
      as: { username: 'kibana_system', password: 'kibana-password' },
    });
  },
  { needs },
);

contract(
  'change password sets the password of the administrator',
  async (target) => {
    const { username, password } = target.transport.administrator;
    const path = `/_security/user/${username}/_password`;
    const next = { as: { username, password: 'contract-interim' } };

    await target.must('POST', path, { body: { password: 'contract-interim' } });
    try {
      await target.see('the old one', 'GET', '/_cluster/health', { as: { username, password } });
      expect((await target.get('/_cluster/health', next)).status).toBe(200);
    } finally {
      await target.must('POST', path, { ...next, body: { password } });
    }
    expect(await enters(target, username, password)).toBe(true);
  },
  { needs },
);
