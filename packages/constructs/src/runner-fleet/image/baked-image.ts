import { imageFolder, imageParameterName, latestRunner, releaseFolder } from '@drover/core/names/runner-fleet';
import { type CfnElement, Stack } from 'aws-cdk-lib';
import { CfnInstanceProfile, type Role } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { CfnParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../../acknowledge.ts';
import type { BootSoftware } from '../../boot/software.ts';
import { allow, instanceRole } from '../../statements.ts';
import type { RunnerFleetSettings } from '../settings.ts';

interface Places {
  readonly memory: Bucket;
  readonly logs: LogGroup;
  readonly software: BootSoftware;
}

/**
 * The parameter that names the image of a group's instances, and the role of those that bake one and try it (decision 101). The role has
 * nothing of a runner's: no secret, no hook, and none of the policies that jobs are given.
 */
export class BakedImage extends Construct {
  /** The image of the launch template: the parameter is read at each launch. */
  readonly imageId: string;
  readonly profileName: string;
  /** Of the instances of a bake. */
  readonly role: Role;

  constructor(scope: Construct, id: string, settings: RunnerFleetSettings, baseImage: string, places: Places) {
    super(scope, id);
    const name = imageParameterName(settings.groupName);
    // A template that names a new base image puts the parameter back to it, until the next bake.
    const parameter = new CfnParameter(this, 'Parameter', {
      name,
      type: 'String',
      dataType: 'aws:ec2:image',
      value: baseImage,
      description: `image of new instances of ${settings.groupName}; drover image bake changes it`,
    });
    this.imageId = `resolve:ssm:${parameter.ref}`;
    this.role = this.#role(settings, places);
    this.profileName = new CfnInstanceProfile(this, 'Profile', { roles: [this.role.roleName] }).ref;
  }

  #role(settings: RunnerFleetSettings, { memory, logs, software }: Places): Role {
    const role = instanceRole(this, [
      allow(['s3:PutObject'], [memory.arnForObjects(`${imageFolder}*`)]),
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logs.logGroupArn]),
      ...(settings.runnerVersion === latestRunner
        ? [allow(['s3:GetObject'], [memory.arnForObjects(`${releaseFolder}*`)])]
        : []),
    ]);
    software.grantRead(role);
    const memoryId = Stack.of(memory).getLogicalId(memory.node.defaultChild as CfnElement);
    acknowledgeWildcards(role, {
      [`Resource::<${memoryId}.Arn>/${imageFolder}*`]: 'one report for each instance; the instances are not known',
      [`Resource::<${memoryId}.Arn>/${releaseFolder}*`]: 'one archive for each version; the versions are not known',
    });
    return role;
  }
}
