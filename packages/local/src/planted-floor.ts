export { fleetDay } from '@drover/simulation/fleet-day';
