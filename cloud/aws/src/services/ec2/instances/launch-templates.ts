import type { Clock } from '@drover/core';
import { ec2Error, invalidParameter, missingParameter } from '../errors.ts';
import type { LaunchTemplate, LaunchTemplateData, LaunchTemplateVersion } from '../model.ts';
import type { Registry } from '../registry.ts';

/** "User data is limited to 16 KB, in raw form, before it is base64-encoded": Run commands when you launch an EC2 instance. */
const largestUserDataBytes = 16_384;

/** By id or by name, as requests name a launch template. */
export interface LaunchTemplateReference {
  readonly LaunchTemplateId?: string;
  readonly LaunchTemplateName?: string;
}

/** Launch templates and their versions. */
export class LaunchTemplates {
  readonly byId = new Map<string, LaunchTemplate>();
  readonly #byName = new Map<string, LaunchTemplate>();
  readonly #registry: Registry;
  readonly #clock: Clock;

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  create(options: {
    name: string;
    data: LaunchTemplateData;
    description?: string;
    by: string;
    tags?: Readonly<Record<string, string>>;
  }): LaunchTemplate {
    checkName(options.name);
    if (this.#byName.has(options.name))
      throw ec2Error('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    const template: LaunchTemplate = this.#registry.add({
      ...this.#registry.newResource('lt', 'launch-template', options.tags),
      name: options.name,
      createdAt: this.#clock.now(),
      createdBy: options.by,
      defaultVersion: 1,
      versions: new Map(),
      latestVersion: 0,
    });
    this.addVersion(template, options.data, options.by, options.description);
    this.byId.set(template.id, template);
    this.#byName.set(template.name, template);
    return template;
  }

  addVersion(
    template: LaunchTemplate,
    data: LaunchTemplateData,
    by: string,
    description?: string,
  ): LaunchTemplateVersion {
    checkData(data);
    const number = template.latestVersion + 1;
    const version = { number, createdAt: this.#clock.now(), createdBy: by, description, data };
    template.latestVersion = number;
    template.versions.set(number, version);
    return version;
  }

  delete(template: LaunchTemplate): void {
    this.byId.delete(template.id);
    this.#byName.delete(template.name);
    this.#registry.remove(template.id);
  }

  find(reference: LaunchTemplateReference): LaunchTemplate {
    const { LaunchTemplateId: id, LaunchTemplateName: name } = reference;
    if (id !== undefined && name !== undefined)
      throw ec2Error(
        'InvalidParameterCombination',
        'The parameters LaunchTemplateId and LaunchTemplateName cannot be used together.',
      );
    if (id === undefined && name === undefined) throw missingParameter('LaunchTemplateId or LaunchTemplateName');
    const template = id === undefined ? this.#byName.get(name!) : this.byId.get(id);
    if (template !== undefined) return template;
    throw id === undefined
      ? ec2Error(
          'InvalidLaunchTemplateName.NotFoundException',
          `The specified launch template, with template name ${name}, does not exist.`,
        )
      : ec2Error(
          'InvalidLaunchTemplateId.NotFound',
          `The specified launch template, with template ID ${id}, does not exist.`,
        );
  }

  /** `$Latest`, `$Default` or a number. */
  version(template: LaunchTemplate, version = '$Default'): LaunchTemplateVersion {
    const number =
      version === '$Latest'
        ? template.latestVersion
        : version === '$Default'
          ? template.defaultVersion
          : Number(version);
    const found = template.versions.get(number);
    if (found === undefined)
      throw ec2Error(
        'InvalidLaunchTemplateId.VersionNotFound',
        `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
      );
    return found;
  }
}

function checkName(name: string | undefined): void {
  if (name === undefined) throw missingParameter('LaunchTemplateName');
  if (!/^[a-zA-Z0-9().\-/_]{3,128}$/.test(name))
    throw ec2Error(
      'InvalidLaunchTemplateName.MalformedException',
      `A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following characters: - ( ) . / _. The name '${name}' is not valid.`,
    );
}

function checkData(data: LaunchTemplateData | undefined): void {
  if (data === undefined) throw missingParameter('LaunchTemplateData');
  if (data.SecurityGroupIds !== undefined && (data.NetworkInterfaces?.length ?? 0) > 0)
    throw ec2Error(
      'InvalidParameterCombination',
      'Network interfaces and an instance-level security groups may not be specified on the same request',
    );
  const userData = data.UserData;
  if (userData === undefined) return;
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(userData))
    throw ec2Error('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  if (Buffer.from(userData, 'base64').length > largestUserDataBytes)
    throw invalidParameter(`User data is limited to ${largestUserDataBytes} bytes`);
}
