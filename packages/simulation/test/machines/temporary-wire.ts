import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { HttpHandler } from '@drover/cloud-engine';
/** The runner's own wire, which GitHub does not document: sessions, long polls, jobs. */
export function tarball(): Buffer {
  execFileSync('tar', ['-czf', '/tmp/w-machines/runner.tar.gz', '--mode=u+w', '-C', '/work/shared/tools/real-machines/runner-stand-in', '.']);
  return readFileSync('/tmp/w-machines/runner.tar.gz');
}
export function joinPipelines(world: any, registry: any): void {
  const sessions = new Map<string, any>(); let next = 1;
  const json = (status: number, body?: unknown) => ({ status, headers: { 'content-type': 'application/json' }, body: body === undefined ? '' : JSON.stringify(body) });
  const handler: HttpHandler = async ({ method, path, body }) => {
    const said = body.length > 0 ? JSON.parse(Buffer.from(body).toString()) : {};
    if (method === 'POST' && path === '/sessions') {
      const session: any = { id: said.id, connection: undefined as never, inbox: [], wake: undefined, revoked: false, jobs: new Map() };
      const answer = registry.connect(said.id, { reachable: () => true, deliver: (job: any) => { session.inbox.push(job); session.wake?.(); }, revoked: () => { session.revoked = true; session.wake?.(); } });
      if (answer === 'unknown-runner') return json(404); if (typeof answer === 'string') return json(409, { answer });
      session.connection = answer; const key = `s${next++}`; sessions.set(key, session); return json(201, { session: key });
    }
    const [, , key = '', what, jobId = '', act] = path.split('/'); const session = sessions.get(key);
    if (session === undefined) return json(404);
    if (method === 'DELETE') { session.connection.close(); sessions.delete(key); return json(204); }
    if (what === 'message') {
      if (session.inbox.length === 0 && !session.revoked) await new Promise<void>((done) => { const t = setTimeout(done, 50_000); session.wake = () => { clearTimeout(t); done(); }; });
      if (session.revoked) { sessions.delete(key); return json(404); }
      const job = session.inbox.shift(); return job === undefined ? json(200, null) : json(200, { id: job.id, durationMs: (session.jobs.set(String(job.id), job), job.durationMs) });
    }
    const job = session.jobs.get(jobId); if (job === undefined) return json(404); const run = session.connection.run(job);
    if (act === 'acquire') { return json(200); }
    if (act === 'started') run.started(); if (act === 'completed') await run.completed(); if (act === 'lost') run.lost(said.because);
    return json(200);
  };
  world.network.register(/actions\.githubusercontent\.com$/, (request: any) => handler(request));
}
