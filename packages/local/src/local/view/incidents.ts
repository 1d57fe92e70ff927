import type { Incident } from '@drover/observation/api';
import { type FleetEvent, isOfCluster, isOfGroup } from '@drover/observation/story/events';
import { addEvent, closeStory, incidentsKept, openStory, type Story } from '@drover/observation/story/incident';

/** The subject of an incident, and its end. */
export interface Opening {
  readonly kind: Incident['kind'];
  readonly title: string;
  /** The groups that it is about: their alarms, functions and failed launches belong to it. */
  readonly groups: readonly string[];
  /** Whether an event of an instance or a job belongs to it. */
  concerns(event: FleetEvent): boolean;
  /** Undefined while it is under way; otherwise what came of it, beside losses. */
  outcome(): string | undefined;
  /** A remark while it is under way. */
  meanwhile?(): string | undefined;
  /** Its outcome is a failure. */
  failed?(): boolean;
  /** It touches the search cluster: events of the cluster belong to it, and its documents are counted at the end. */
  readonly cluster?: boolean;
  /** It is a fault that takes machines away. */
  readonly takesMachines?: boolean;
}

interface Open {
  readonly opening: Opening;
  story: Story;
  closing: boolean;
}

export interface IncidentFacts {
  now(): number;
  /** How many documents were acknowledged, and how many of them cannot be found. */
  countDocuments(): Promise<{ readonly acknowledged: number; readonly missing: number }>;
}

/** Every fault and act with its story, from its cause to a verdict. */
export class Incidents {
  readonly #facts: IncidentFacts;
  #open: Open[] = [];
  #ended: Incident[] = [];
  #next = 1;
  #say: (line: string) => void = () => {};

  constructor(facts: IncidentFacts) {
    this.#facts = facts;
  }

  get newestFirst(): readonly Incident[] {
    return [...this.#open.map(({ story }) => story.incident), ...this.#ended].sort((a, b) => b.id - a.id);
  }

  /** Says from now on when an incident begins and how it ends. */
  announceTo(say: (line: string) => void): void {
    this.#say = say;
  }

  /** Opens an incident; `withdraw` when its act was refused, `confirm` when it was not. */
  open(opening: Opening): { withdraw(): void; confirm(): void } {
    const { kind, title } = opening;
    const story = openStory({ id: this.#next++, kind, title, openedAt: this.#facts.now() });
    const open: Open = { opening, story, closing: false };
    this.#open.push(open);
    return {
      withdraw: () => {
        this.#open = this.#open.filter((other) => other !== open);
      },
      confirm: () => this.#say(title),
    };
  }

  note(event: FleetEvent): void {
    // One that happened before the incident, and was noticed later, is none of it.
    for (const open of this.#open)
      if (event.at >= open.story.incident.openedAt && belongs(event, open.opening))
        open.story = addEvent(open.story, event);
  }

  /** Closes what is over. */
  look(): void {
    for (const open of this.#open) {
      if (open.closing) continue;
      const outcome = open.opening.outcome();
      open.closing = outcome !== undefined;
      if (outcome !== undefined) void this.#close(open, outcome);
      else open.story = withRemark(open.story, open.opening.meanwhile?.() ?? '');
    }
  }

  async #close(open: Open, outcome: string): Promise<void> {
    const endedAt = this.#facts.now();
    const documents = open.opening.cluster === true ? await this.#documents() : { text: '', bad: false };
    const bad = documents.bad || open.opening.failed?.() === true || undefined;
    const ended = closeStory(open.story, { endedAt, sentences: [outcome, documents.text], bad });
    const { title, verdict } = ended;
    this.#open = this.#open.filter((other) => other !== open);
    this.#say(`${endings[verdict.state]}: ${title} ${verdict.text}`);
    this.#ended = [ended, ...this.#ended].slice(0, incidentsKept);
  }

  async #documents(): Promise<{ text: string; bad: boolean }> {
    try {
      const { acknowledged, missing } = await this.#facts.countDocuments();
      const text = `${missing === 0 ? 'None' : missing} of ${acknowledged} acknowledged documents ${missing === 1 ? 'is' : 'are'} lost.`;
      return { text, bad: missing > 0 };
    } catch {
      return { text: 'Its documents could not be counted: the cluster does not respond.', bad: true };
    }
  }
}

function belongs(event: FleetEvent, opening: Opening): boolean {
  if (isOfCluster(event)) return opening.cluster === true;
  const isOfNone = event.instance === undefined && event.job === undefined;
  return isOfNone ? opening.groups.some((group) => isOfGroup(event, group)) : opening.concerns(event);
}

const withRemark = (story: Story, text: string): Story =>
  text === story.incident.verdict.text
    ? story
    : { ...story, incident: { ...story.incident, verdict: { state: 'open', text } } };

const endings = { open: '', good: 'ended well', fair: 'ended as well as can be', bad: 'ENDED BADLY' } as const;
