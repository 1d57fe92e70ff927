import * as sdk from '@aws-sdk/client-iam';
import { clients, World } from '@drover/cloud-world';
import { beforeEach, describe, expect, it } from 'vitest';

let world: World;
let iam: sdk.IAMClient;

beforeEach(() => {
  world = new World();
  // The SDK retries LimitExceeded, which only costs time here.
  iam = clients(world, world.aws.iam.rootCredentials, { maxAttempts: 1 }).iam;
});

const account = '123456789012';
const policy = (Action: string) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource: '*' }] });
const trust = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
});
const createRole = (RoleName: string, more: object = {}) =>
  iam.send(new sdk.CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: trust, ...more }));

describe('roles', () => {
  it('roles come back as they were created', async () => {
    await createRole('node', { Path: '/search/', Description: 'A node', Tags: [{ Key: 'team', Value: 'search' }] });

    const { Role } = await iam.send(new sdk.GetRoleCommand({ RoleName: 'node' }));
    const { Roles } = await iam.send(new sdk.ListRolesCommand({ PathPrefix: '/search/' }));

    expect(Role).toMatchObject({
      Arn: `arn:aws:iam::${account}:role/search/node`,
      Description: 'A node',
      MaxSessionDuration: 3600,
      Tags: [{ Key: 'team', Value: 'search' }],
    });
    expect(Role!.RoleId).toMatch(/^AROA[A-Z2-7]{17}$/);
    expect(JSON.parse(decodeURIComponent(Role!.AssumeRolePolicyDocument!))).toEqual(JSON.parse(trust));
    expect(Roles!.map(({ RoleName }) => RoleName)).toEqual(['node']);
  });

  it('roles are refused when the name is taken or the trust policy names no existing principal', async () => {
    await createRole('node');
    const nobody = trust.replace('"Service":"ec2.amazonaws.com"', `"AWS":"arn:aws:iam::${account}:role/nobody"`);

    await expect(createRole('node')).rejects.toMatchObject({ name: 'EntityAlreadyExistsException' });
    await expect(createRole('other', { AssumeRolePolicyDocument: nobody })).rejects.toThrow(
      /Invalid principal in policy/,
    );
    await expect(createRole('a b')).rejects.toMatchObject({ name: 'ValidationError' });
  });

  it('roles go only when nothing hangs on them', async () => {
    const remove = () => iam.send(new sdk.DeleteRoleCommand({ RoleName: 'node' }));
    const onRole = { RoleName: 'node' };
    const PolicyArn = 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore';
    await createRole('node');
    await iam.send(new sdk.PutRolePolicyCommand({ ...onRole, PolicyName: 'p', PolicyDocument: policy('s3:*') }));
    await iam.send(new sdk.AttachRolePolicyCommand({ ...onRole, PolicyArn }));
    await iam.send(new sdk.CreateInstanceProfileCommand({ InstanceProfileName: 'node' }));
    await iam.send(new sdk.AddRoleToInstanceProfileCommand({ ...onRole, InstanceProfileName: 'node' }));

    await expect(remove()).rejects.toThrow(/must delete policies first/);
    await iam.send(new sdk.DeleteRolePolicyCommand({ ...onRole, PolicyName: 'p' }));
    await expect(remove()).rejects.toThrow(/must detach all policies first/);
    await iam.send(new sdk.DetachRolePolicyCommand({ ...onRole, PolicyArn }));
    await expect(remove()).rejects.toThrow(/must remove roles from instance profile first/);
    await iam.send(new sdk.RemoveRoleFromInstanceProfileCommand({ ...onRole, InstanceProfileName: 'node' }));
    await remove();

    await expect(iam.send(new sdk.GetRoleCommand(onRole))).rejects.toMatchObject({ name: 'NoSuchEntityException' });
  });
});

describe('instance profiles', () => {
  it('instance profiles hold one role', async () => {
    await createRole('one');
    await createRole('two');
    await iam.send(new sdk.CreateInstanceProfileCommand({ InstanceProfileName: 'profile' }));
    const add = (RoleName: string) =>
      iam.send(new sdk.AddRoleToInstanceProfileCommand({ InstanceProfileName: 'profile', RoleName }));

    await add('one');
    await expect(add('two')).rejects.toMatchObject({ name: 'LimitExceededException' });
    expect(world.aws.iam.roleOfInstanceProfile('profile')).toMatch(/:role\/one$/);
  });
});
