import type { NodeVerdict } from '@drover/search-cluster';
import { asList, asObject, asText, type Doc } from './reading.ts';

/** Reads `node_allocation_decisions`, as the explain API and stalled shutdown records carry it. */
export const readVerdicts = (decisions: unknown): readonly NodeVerdict[] =>
  decisions === undefined
    ? []
    : asList(decisions, 'node_allocation_decisions').map((decision) => readVerdict(asObject(decision, 'decision')));

function readVerdict(doc: Doc): NodeVerdict {
  const deciders = doc.deciders === undefined ? [] : asList(doc.deciders, 'deciders');
  return {
    nodeId: asText(doc.node_id, 'node_id'),
    nodeName: asText(doc.node_name, 'node_name'),
    possible: asText(doc.node_decision, 'node_decision').toLowerCase() !== 'no',
    against: deciders
      .map((decider) => asObject(decider, 'decider'))
      .filter((decider) => decider.decision === 'NO')
      .map((decider) => ({
        decider: asText(decider.decider, 'decider'),
        explanation: asText(decider.explanation, 'explanation'),
      })),
  };
}
