import type { InstanceState, NodeState } from '@drover/observation/api';
import { shortId } from '../words.ts';
import { ConfirmButton } from './confirm-button.tsx';

/** Actions on a runner's instance. */
export function InstanceTools({ instance: { id, spot } }: { readonly instance: InstanceState }) {
  const short = shortId(id);
  return (
    <p class="acts">
      <ConfirmButton
        label="Terminate"
        name={`Terminate ${id}`}
        question={`Terminate ${id}? Its job may finish first, and another instance takes its place.`}
        act={['terminate-instance', { instance: id }]}
        done={`${short} is being terminated.`}
      />
      <ConfirmButton
        label="Break"
        name={`Break ${id}`}
        question={`Destroy the hardware of ${id}? A job on it is lost.`}
        act={['break-instance', { instance: id }]}
        done={`${short} no longer exists.`}
      />
      <ConfirmButton
        label="Hang"
        name={`Hang ${id}`}
        question={`Let the operating system of ${id} hang? A job on it is lost.`}
        act={['hang-instance', { instance: id }]}
        done={`${short} no longer responds.`}
      />
      <ConfirmButton
        label="Fill disk"
        name={`Fill disk of ${id}`}
        question={`Fill the disk of ${id}? It takes no further job and is replaced.`}
        act={['fill-disk', { instance: id }]}
        done={`The disk of ${short} is full.`}
      />
      {spot && (
        <ConfirmButton
          label="Reclaim"
          name={`Reclaim ${id}`}
          question={`Let EC2 take ${id} back in two minutes? A longer job on it is lost.`}
          act={['reclaim-spot', { instance: id }]}
          done={`${short} is interrupted in two minutes.`}
        />
      )}
    </p>
  );
}

/** Actions on a search node. */
export function NodeTools({ node: { instanceId, name } }: { readonly node: NodeState }) {
  return (
    <p class="acts">
      <ConfirmButton
        label="Kill"
        name={`Kill ${name}`}
        question={`Destroy ${name}? Its shards are restored from their other copies.`}
        act={['kill-node', { instance: instanceId }]}
        done={`${name} is powered off.`}
      />
      <ConfirmButton
        label="Replace"
        name={`Replace ${name}`}
        question={`Terminate ${name}? Its shards move away first, and another node takes its place.`}
        act={['terminate-instance', { instance: instanceId }]}
        done={`${name} is drained and replaced.`}
      />
    </p>
  );
}
