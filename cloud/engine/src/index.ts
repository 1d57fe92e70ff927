export { noteAsked, takeAsked } from './asked.ts';
export { type CronDialect, parseCron, type Schedule } from './cron.ts';
export { type DelayRange, drawDelay } from './delays.ts';
export { createEngine, type Engine, type EngineOptions, every } from './engine.ts';
export type { FaultEffect, FaultRule } from './faults.ts';
export { asFetch, type HttpHandler, type HttpRequest, type HttpResponse, noBody } from './http.ts';
export { Journal, type JournalEntry } from './journal.ts';
export { type KillableProcess, Network, never, type Origin } from './network.ts';
export { answer, type Served, type ServeOptions, serve } from './serve.ts';
