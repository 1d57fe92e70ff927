export { notMade, zipDirectory } from './assembly/assets.ts';
export { deployCloudAssembly } from './assembly/cloud-assembly.ts';
export { type AssemblyStack, readAssembly } from './assembly/manifest.ts';
export { type Clients, clients } from './clients.ts';
export type { ActivityView, GroupView, MemberView, Observation } from './observe/observation.ts';
export type { Operation } from './observe/operation.ts';
export { World } from './world.ts';
