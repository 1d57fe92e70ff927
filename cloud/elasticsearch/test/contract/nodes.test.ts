import { expect } from 'vitest';
import { contract } from './contract.ts';

contract(
  'node filters select by name, role, attribute and order',
  async (target) => {
    const names = async (filter: string) =>
      Object.values((await target.get(`/_nodes/${filter}/http`)).body.nodes as Record<string, { name: string }>)
        .map(({ name }) => name)
        .sort();
    const all = target.nodes.map(({ name }) => name).sort();

    expect(await names('_all')).toEqual(all);
    expect(await names('data:true')).toEqual(all);
    expect(await names('data:false')).toEqual([]);
    expect(await names('master:true')).toEqual(all);
    expect(await names(all[0]!)).toEqual([all[0]]);
    expect(await names(`${all[0]},${all[1]}`)).toEqual([all[0], all[1]]);
    expect(await names(target.nodes[0]!.id)).toEqual([target.nodes[0]!.name]);
    expect(await names('zone:b')).toEqual([target.nodes.find(({ zone }) => zone === 'b')!.name]);
    expect(await names('nobody')).toEqual([]);
    expect(await names('_master')).toHaveLength(1);
    expect(await names('_local')).toHaveLength(1);
  },
  { needs: ['three zones'] },
);

contract(
  'shutdown records of a node are put, read and deleted, and unknown types refused',
  async (target) => {
    const { id } = target.nodes.at(-1)!;
    target.cleanup(() => target.delete(`/_nodes/${id}/shutdown`));

    expect((await target.get('/_nodes/shutdown')).body).toEqual({ nodes: [] });
    expect((await target.put(`/_nodes/${id}/shutdown`, { type: 'restart', reason: 'contract' })).body).toEqual({
      acknowledged: true,
    });
    const { body } = await target.get(`/_nodes/${id}/shutdown`);
    expect(body.nodes[0]).toMatchObject({ node_id: id, type: 'RESTART', reason: 'contract', status: 'COMPLETE' });
    expect((await target.put(`/_nodes/${id}/shutdown`, { type: 'nope', reason: 'x' })).status).toBe(400);
    expect((await target.put(`/_nodes/${id}/shutdown`, { type: 'remove' })).status).toBe(400);
    expect((await target.delete(`/_nodes/${id}/shutdown`)).body).toEqual({ acknowledged: true });
    expect((await target.delete(`/_nodes/${id}/shutdown`)).status).toBe(404);
  },
  { needs: ['node shutdown'] },
);

contract(
  'a node says as a text whether its JVM compresses pointers, which a heap of this size allows',
  async (target) => {
    const path = '/_nodes/jvm?filter_path=nodes.*.jvm.using_compressed_ordinary_object_pointers,nodes.*.jvm.mem';
    const nodes = Object.values(
      (await target.get(path)).body.nodes as Record<string, { jvm: Record<string, unknown> }>,
    );

    for (const { jvm } of nodes)
      expect(jvm).toMatchObject({
        using_compressed_ordinary_object_pointers: 'true',
        mem: { heap_max_in_bytes: expect.any(Number) },
      });
    expect(nodes).toHaveLength(target.nodes.length);
  },
);

contract(
  'each node counts what its pools for writes and searches refused, and says how full its heap is',
  async (target) => {
    const fields = ['jvm.mem.heap_used_percent', 'thread_pool.write.rejected', 'thread_pool.search.rejected'];
    const path = `/_nodes/stats/jvm,thread_pool?filter_path=${fields.map((field) => `nodes.*.${field}`).join()}`;
    const nodes = Object.values((await target.get(path)).body.nodes as Record<string, unknown>);

    for (const node of nodes)
      expect(node).toEqual({
        jvm: { mem: { heap_used_percent: expect.any(Number) } },
        thread_pool: { write: { rejected: 0 }, search: { rejected: 0 } },
      });
    expect(nodes).toHaveLength(target.nodes.length);
  },
);
