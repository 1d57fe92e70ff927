#!/usr/bin/env node
const program = await import('../dist/drover.mjs').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('drover.mjs')) throw error;
  console.error('drover is not built; run `npm run build` first');
  process.exit(1);
});

await program.enter(process.argv.slice(2));
