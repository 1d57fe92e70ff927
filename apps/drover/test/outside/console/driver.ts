import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { type Browser, launchBrowser, type Page } from '../browser.ts';
import { LocalProcess } from '../local-process.ts';
import { kindOf } from './kind-of.ts';

/** Simulated minutes pass in the meantime, and the machine may be busy. */
export const patienceMs = 240_000;
export const laptop = { width: 1440, height: 900 };

/** The views of the page with their addresses. */
export const views = {
  Scene: 'scene',
  Jobs: 'jobs',
  Shards: 'shards',
  Alarms: 'alarms',
  Functions: 'functions',
  Snapshots: 'snapshots',
  Events: 'events',
  'What if': 'what-if',
} as const;
export type View = keyof typeof views;
export const viewNames = Object.keys(views) as View[];

/** A world, a browser with its console, and what the tests do with both. */
export class ConsoleDriver {
  local!: LocalProcess;
  browser!: Browser;
  page!: Page;
  autoscaling!: AutoScalingClient;
  /** Complaints of a page, and requests to hosts other than `drover local`. */
  readonly troubles: string[] = [];
  /** Every control that the page had in any state that a test brought it into. */
  readonly seen = new Set<string>();
  /** Every control that a test has used, as `kindOf` names it. */
  readonly used = new Set<string>(['Speed', 'Find', 'Instance, node, job, incident or view']);

  async open(browserPath: string, ...options: string[]): Promise<void> {
    this.local = await LocalProcess.start(...options);
    this.autoscaling = new AutoScalingClient(this.local.aws);
    this.browser = await launchBrowser(browserPath);
    this.page = await this.watched(await this.browser.newPage({ viewport: laptop }));
    await this.page.goto(this.local.url);
    await this.page.getByText('Fleet runners').waitFor();
  }

  /** Returns the exit code of the world. */
  async close(): Promise<number | null> {
    this.autoscaling?.destroy();
    await this.browser?.close();
    return await this.local?.stop();
  }

  /** Notes the complaints of a page, and its requests to hosts other than `drover local`. */
  async watched(opened: Page): Promise<Page> {
    opened.setDefaultTimeout(patienceMs);
    opened.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.troubles.push(message.text());
    });
    opened.on('pageerror', (error) => this.troubles.push(error.message));
    opened.on('request', (request) => {
      if (!request.url().startsWith(`${this.local.url}/`)) this.troubles.push(`a request to ${request.url()}`);
    });
    return opened;
  }

  /** Between two worlds nothing listens, which the browser reports. */
  forgetDisconnection(): void {
    const others = this.troubles.filter((text) => !/net::ERR_/.test(text));
    this.troubles.splice(0, this.troubles.length, ...others);
  }

  /** One refusal that a test has provoked, whose status the browser says. */
  forgetRefusal(): void {
    const at = this.troubles.findIndex((text) => /with a status of 409/.test(text));
    if (at >= 0) this.troubles.splice(at, 1);
  }

  async until(what: string, check: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; looks < patienceMs / 300; looks++) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    throw new Error(`not seen: ${what}\n${await this.page.locator('body').textContent()}`);
  }

  async shows(text: RegExp): Promise<boolean> {
    return text.test((await this.page.locator('body').textContent()) ?? '');
  }

  /** Notes the controls that the page has now, so that one without a case is found. */
  async noteControls(): Promise<void> {
    const names = await this.page.locator('button, input, select, summary').evaluateAll((all) =>
      all
        // Those of a dialog belong to the button that opens it.
        .filter((one) => one.closest('dialog') === null)
        .map((one) => {
          const [label] = 'labels' in one ? Array.from((one.labels as ArrayLike<typeof one> | null) ?? []) : [];
          const words = [...(label?.childNodes ?? [])].filter(({ nodeType }) => nodeType === 3);
          const labelled = words.map(({ textContent }) => textContent).join(' ');
          return one.getAttribute('aria-label') ?? (labelled || one.textContent) ?? '';
        }),
    );
    for (const name of names) this.seen.add(kindOf(name.replace(/\s+/g, ' ').trim()));
  }

  async press(name: string, said: string | RegExp): Promise<void> {
    this.used.add(kindOf(name));
    await this.noteControls();
    await this.page.getByRole('button', { name, exact: true }).click();
    await this.page.getByRole('status').filter({ hasText: said }).waitFor();
  }

  /** Irreversible acts ask first. */
  async confirm(name: string, said: string | RegExp): Promise<void> {
    this.used.add(kindOf(name));
    await this.page.getByRole('button', { name, exact: true }).click();
    const dialog = this.page.getByRole('dialog', { name });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await this.page.getByRole('button', { name, exact: true }).click();
    await dialog.getByRole('button', { name: / now$/ }).click();
    await this.page.getByRole('status').filter({ hasText: said }).waitFor();
  }

  async fill(label: string, text: string): Promise<void> {
    this.used.add(label);
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }

  async select(label: string, value: string): Promise<void> {
    this.used.add(label);
    // The text of a label with a list in it has the words of the list too.
    await this.page.getByLabel(label).and(this.page.locator('select')).selectOption(value);
  }

  async show(view: View): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link', { name: view }).click();
    await this.noteControls();
  }

  async openUp(about: string): Promise<void> {
    await this.page.goto(`${this.local.url}/#/scene/${about}`);
    await this.page.getByRole('link', { name: 'Close the details' }).waitFor();
  }

  async titleOf(id: string): Promise<string> {
    const cell = this.page.locator(`[data-instance="${id}"]`).first();
    return (await cell.getAttribute('title', { timeout: 5_000 }).catch(() => '')) ?? '';
  }

  async speed(factor: number): Promise<void> {
    await this.page.getByLabel('Speed').selectOption(String(factor));
    await this.page
      .getByRole('status')
      .filter({ hasText: `${factor} simulated seconds per second.` })
      .waitFor();
  }
}
