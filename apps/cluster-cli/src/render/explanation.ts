type Doc = Readonly<Record<string, unknown>>;

/** An allocation explanation for people: where the shard is, what holds it, what each node says. */
export function explanationText(explanation: Doc): string {
  const { index, shard, primary, current_state, current_node, unassigned_info } = explanation;
  const lines = [
    `shard [${String(shard)}] [${primary === true ? 'primary' : 'replica'}] of index [${String(index)}] is ${String(current_state)}`,
  ];
  if (current_node !== undefined) lines[0] += ` on ${String((current_node as Doc).name)}`;
  const info = unassigned_info as Doc | undefined;
  if (info !== undefined)
    lines.push(
      `  since ${String(info.at)}: ${String(info.reason)}${info.details === undefined ? '' : `, ${String(info.details)}`}`,
    );
  for (const key of ['allocate_explanation', 'move_explanation', 'rebalance_explanation', 'can_remain_on_current_node'])
    if (explanation[key] !== undefined) lines.push(`  ${key.replaceAll('_', ' ')}: ${String(explanation[key])}`);
  for (const decision of (explanation.node_allocation_decisions as readonly Doc[] | undefined) ?? [])
    lines.push(...nodeLines(decision));
  return `${lines.join('\n')}\n`;
}

function nodeLines(decision: Doc): readonly string[] {
  const deciders = (decision.deciders as readonly Doc[] | undefined) ?? [];
  return [
    `  node ${String(decision.node_name)}: ${String(decision.node_decision)}`,
    ...deciders.map(
      ({ decider, decision: says, explanation }) => `    ${String(decider)} ${String(says)}: ${String(explanation)}`,
    ),
  ];
}
