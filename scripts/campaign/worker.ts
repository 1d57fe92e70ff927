/** Runs the seeds that the campaign sends, one after the other. */
import { campaigns } from './campaigns.ts';

const campaign = campaigns[process.argv[2] ?? ''];
if (campaign === undefined || process.send === undefined) process.exit(2);
process.on('message', async (seed: number) => {
  const before = process.cpuUsage();
  try {
    const result = await campaign.run(seed);
    const { user, system } = process.cpuUsage(before);
    process.send!({ ...result, cpuSeconds: (user + system) / 1e6 });
  } catch (error) {
    process.send!({ seed, violations: [String((error as Error).stack ?? error)], faults: 0, checks: 0, summary: '' });
  }
});
process.send('ready');
