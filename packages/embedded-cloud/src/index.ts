export * from './engine/engine.ts';
export * from './engine/faults.ts';
export * from './engine/http.ts';
export * from './engine/journal.ts';
export * from './engine/network.ts';
export * from './engine/serve.ts';
export * from './machines/program.ts';
export * from './world.ts';
