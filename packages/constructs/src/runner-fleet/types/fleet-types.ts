import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { BootSoftware } from '../../boot/software.ts';
import { FleetGroup } from '../group.ts';
import { type FleetSettings, otherArchitecture } from './type-settings.ts';

/** The parts of a fleet that its types use. */
interface SharedParts {
  readonly software: BootSoftware;
  readonly programs: Readonly<Record<string, string>>;
  readonly memory: Bucket;
  readonly logs: LogGroup;
  readonly functions: Construct;
  readonly fleet: FleetGroup;
}

/** A group, a launch template and a role for each type; everything else is the fleet's. */
export class FleetTypes extends Construct {
  readonly roles: Readonly<Record<string, IRole>>;
  readonly groups: readonly FleetGroup[];

  constructor(scope: Construct, id: string, settings: FleetSettings, shared: SharedParts) {
    super(scope, id);
    const other = otherArchitecture(settings);
    const otherSoftware =
      other === undefined
        ? shared.software
        : new BootSoftware(this, 'Software', { architecture: other, programs: shared.programs });
    const { memory, logs } = shared;
    const groups = settings.types.map(({ name, settings: type }) => {
      const isOther = type.architecture !== settings.architecture;
      const { securityGroup } = shared.fleet;
      const group = new FleetGroup(this, name, type, isOther ? otherSoftware : shared.software, {
        memory,
        logs,
        type: { name, fleet: settings.groupName, securityGroup, otherArchitecture: isOther },
      });
      group.dependsOn(shared.functions);
      return [name, group] as const;
    });
    this.groups = groups.map(([, group]) => group);
    this.roles = Object.fromEntries(groups.map(([name, { role }]) => [name, role]));
  }
}
