/** One line of an alarm's history. */
interface HistoryItem {
  readonly alarmName: string;
  readonly alarmType: string;
  readonly at: number;
  readonly kind: 'ConfigurationUpdate' | 'StateUpdate' | 'Action';
  readonly summary: string;
  readonly data: string;
}

/** Lines that are kept over all alarms. AWS keeps 30 days. */
const keptItems = 20_000;

/** History of alarms, oldest first, bounded. */
export class AlarmHistory {
  #items: HistoryItem[] = [];

  add(item: HistoryItem): void {
    this.#items.push(item);
    if (this.#items.length > keptItems * 1.25) this.#items.splice(0, this.#items.length - keptItems);
  }

  get items(): readonly HistoryItem[] {
    return this.#items;
  }
}
