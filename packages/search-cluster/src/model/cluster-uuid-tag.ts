/** On an instance: the cluster that it was commissioned in. Newcomers compare theirs with it. */
export const clusterUuidTag = 'drover:cluster-uuid';
