import { type Browser, chromium } from 'playwright-core';

export type { Browser, CDPSession, Page } from 'playwright-core';

/** Debian's Chromium. Its sandbox needs rights that root in a container does not have; it shows only our own page. */
export const launchBrowser = (path = '/usr/bin/chromium'): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
