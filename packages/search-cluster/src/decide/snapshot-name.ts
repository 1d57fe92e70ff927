/**
 * `<cluster_name>-<YYYY-MM-DD>_<HH-MM-SS.ffffff>` in UTC. The clock counts milliseconds; `micros` (0 to 999) fills the
 * last three digits, so that two snapshots within one millisecond differ.
 */
export function snapshotName(clusterName: string, now: number, micros: number): string {
  const iso = new Date(now).toISOString();
  const time = iso.slice(11, 23).replaceAll(':', '-');
  return `${clusterName}-${iso.slice(0, 10)}_${time}${String(micros).padStart(3, '0')}`;
}

/** The same pattern as a date-math name, for policies (Elasticsearch reference, "Date math support"). */
export const snapshotNamePattern = (clusterName: string): string =>
  `<${clusterName}-{now{yyyy-MM-dd_HH-mm-ss.SSSSSS}}>`;
