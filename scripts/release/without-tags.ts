/** A template without the tags of its resources: newer versions of the CDK know of more resources that can be tagged. */
export function withoutTags(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTags);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'Tags')
      .map(([key, member]) => [key, withoutTags(member)]),
  );
}
