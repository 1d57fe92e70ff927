/** The name of a control without what it is about. */
export function kindOf(name: string): string {
  return name
    .replace(/\bi-[0-9a-f]+|\bip-[\d-]+/, 'ONE')
    .replace(/eu-west-1[abc]/, 'ZONE')
    .replace(/\b(runners|search-data|search)$/, 'GROUP')
    .replace(/^(Pause|Resume)$/, 'Pause')
    .replace(/^Updating the stack…$/, 'Deploy inputs')
    .replace(/^Return to the .*/, 'Return to a timeline')
    .replace(/^Before: .*/, 'Before an incident')
    .replace(/^Replay \d+ configurations?$/, 'Replay')
    .replace(/^Deployed: .*/, 'Deployed')
    .replace(/^(One|\d+) notes?$/, 'Notes')
    .replace(/^\d+ steps?, the newest: .*/, 'Steps of an incident')
    .replace(/^Find.*/, 'Find');
}
