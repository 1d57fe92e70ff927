export { deployCloudAssembly } from './assembly/cloud-assembly.ts';
export { type Clients, clients } from './clients.ts';
export { World } from './world.ts';
