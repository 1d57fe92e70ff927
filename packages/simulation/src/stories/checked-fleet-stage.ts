import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import type { DeployedFleet } from '@drover/stage/fleet';
import { type FleetLimits, FleetStage } from '@drover/stage/testing';

const minute = 60_000;

/** A fleet stage that is watched by the checkers from the beginning. */
export class CheckedFleetStage extends FleetStage {
  readonly checkers: FleetCheckers;

  constructor(fleet: DeployedFleet, limits: FleetLimits) {
    super(fleet, limits);
    this.checkers = new FleetCheckers(fleet, limits);
  }

  /** The violations so far, in the middle of a story. */
  async violationsNow(): Promise<readonly string[]> {
    await this.fleet.drive(this.checkers.checkAlways(), 60 * minute);
    await this.fleet.drive(this.checkers.checkSecrecy(this.fleet.secretValues), 60 * minute);
    return this.checkers.violations;
  }

  /** Lets two sweeps pass, then checks everything. */
  async violationsAtRest(): Promise<readonly string[]> {
    await this.pass(50);
    this.checkers.checkAtRest();
    return await this.violationsNow();
  }
}
