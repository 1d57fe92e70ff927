import type { JournalEntry } from '@drover/cloud-engine';
import type { Incident, IncidentStep } from '@drover/observation/api';
import { type Told, tell } from './tell.ts';

const incidentsKept = 30;
const stepsKept = 120;
/** Of a long story the beginning is kept, and the end. */
const beginningKept = 40;

/** The subject of an incident, and its end. */
export interface Opening {
  readonly kind: Incident['kind'];
  readonly title: string;
  /** Whether something that happened belongs to it; alarms, functions and the cluster always do. */
  concerns(told: Told): boolean;
  /** Undefined while it is under way; otherwise what came of it, beside losses. */
  outcome(): string | undefined;
  /** A remark while it is under way. */
  meanwhile?(): string | undefined;
  /** Its outcome is a failure. */
  failed?(): boolean;
  /** It touches the search cluster: then its documents are counted at the end. */
  readonly cluster?: boolean;
  /** It is a fault that takes machines away. */
  readonly takesMachines?: boolean;
}

interface Open {
  readonly opening: Opening;
  incident: Incident;
  /** Descriptions of the jobs that were lost. */
  readonly lost: string[];
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
    return [...this.#open.map(({ incident }) => incident), ...this.#ended].sort((a, b) => b.id - a.id);
  }

  /** Says from now on when an incident begins and how it ends. */
  tellTo(say: (line: string) => void): void {
    this.#say = say;
  }

  /** Opens an incident; `withdraw` when its act was refused, `confirm` when it was not. */
  open(opening: Opening): { withdraw(): void; confirm(): void } {
    const { kind, title } = opening;
    const at = this.#facts.now();
    const step = { at, text: title, bad: kind === 'fault', about: undefined };
    const verdict = { state: 'open', text: '' } as const;
    const incident = { id: this.#next++, kind, title, openedAt: at, steps: [step], verdict, endedAt: undefined };
    const open: Open = { opening, incident, lost: [], closing: false };
    this.#open.push(open);
    return {
      withdraw: () => {
        this.#open = this.#open.filter((other) => other !== open);
      },
      confirm: () => this.#say(title),
    };
  }

  note(entry: JournalEntry): void {
    if (this.#open.length === 0) return;
    const told = tell(entry);
    if (told === undefined) return;
    const common = told.instance === undefined && told.job === undefined;
    for (const open of this.#open) {
      if (!common && !open.opening.concerns(told)) continue;
      if (told.job !== undefined && /was lost/.test(told.text)) open.lost.push(told.text);
      this.#add(open, { at: entry.at, ...stepOf(told) });
    }
  }

  /** Adds what the journal does not show, such as the colour of the cluster. */
  remark(text: string, bad: boolean): void {
    for (const open of this.#open) this.#add(open, { at: this.#facts.now(), text, bad, about: undefined });
  }

  /** Closes what is over. */
  look(): void {
    for (const open of this.#open) {
      if (open.closing) continue;
      const outcome = open.opening.outcome();
      if (outcome === undefined) {
        const text = open.opening.meanwhile?.() ?? '';
        if (text !== open.incident.verdict.text) open.incident = { ...open.incident, verdict: { state: 'open', text } };
        continue;
      }
      open.closing = true;
      void this.#close(open, outcome);
    }
  }

  async #close(open: Open, outcome: string): Promise<void> {
    const endedAt = this.#facts.now();
    const documents = open.opening.cluster === true ? await this.#documents() : { text: '', bad: false };
    const jobs =
      open.lost.length === 0
        ? 'No job was lost.'
        : `${open.lost.map((text) => text[0]!.toUpperCase() + text.slice(1)).join('. ')}.`;
    const bad = open.lost.length > 0 || documents.bad || open.opening.failed?.() === true;
    const verdict = {
      state: bad ? 'bad' : 'good',
      text: [outcome, jobs, documents.text].filter((part) => part !== '').join(' '),
    } as const;
    this.#open = this.#open.filter((other) => other !== open);
    this.#say(`${bad ? 'ENDED BADLY' : 'ended well'}: ${open.incident.title} ${verdict.text}`);
    this.#ended = [{ ...open.incident, verdict, endedAt }, ...this.#ended].slice(0, incidentsKept);
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

  #add(open: Open, step: IncidentStep): void {
    const { incident } = open;
    // A repeated event of the same subject is reported once.
    if (incident.steps.slice(-5).some(({ text }) => text === step.text)) return;
    const steps = [...incident.steps, step];
    open.incident = {
      ...incident,
      steps: steps.length > stepsKept ? [...steps.slice(0, beginningKept), ...steps.slice(beginningKept + 1)] : steps,
    };
  }
}

function stepOf({ text, bad, instance, job }: Told): Omit<IncidentStep, 'at'> {
  if (job !== undefined) return { text, bad, about: `job/${job}` };
  if (instance === undefined) return { text, bad, about: undefined };
  return { text: `${instance} ${text}`, bad, about: `instance/${instance}` };
}
