import { useState } from 'preact/hooks';
import type { WhatIfRequest, WhatIfRun, WhatIfState } from '../api.ts';
import { NumberField } from '../tools/number-field.tsx';
import { counted } from '../words.ts';
import { ask } from './use-what-if.ts';

type Deployed = NonNullable<WhatIfState['inputs']>;
type Trace = WhatIfRequest['jobs']['kind'];
type Mode = Deployed['mode'];

interface QuestionProps {
  readonly deployed: Deployed;
  readonly asked: (run: WhatIfRun) => void;
}

const modeWords: readonly (readonly [Mode, string])[] = [
  ['idle', 'Scale on idle runners'],
  ['jobs', 'Scale on waiting jobs'],
];

/** Values to try, the jobs to try them on, and the longest wait that is acceptable. */
export function QuestionForm({ deployed, asked }: QuestionProps) {
  const { idleTarget, maxSize, mode, text } = deployed;
  const [idleTargets, setIdleTargets] = useState(listed([1, idleTarget, 2 * idleTarget]));
  const [maxSizes, setMaxSizes] = useState(listed([maxSize, 2 * maxSize]));
  const [modes, setModes] = useState<readonly Mode[]>(['idle', 'jobs']);
  const [trace, setTrace] = useState<Trace>('week');
  const [file, setFile] = useState<File | undefined>();
  const [hours, setHours] = useState(24);
  const [maxWait, setMaxWait] = useState(120);
  const [problem, setProblem] = useState<string | undefined>();
  const [idles, sizes] = [numbersIn(idleTargets), numbersIn(maxSizes)];
  const send = async () => {
    const jobs =
      trace === 'history' ? { kind: trace, name: file?.name ?? '', text: (await file?.text()) ?? '' } : { kind: trace };
    const given = { idleTargets: idles, maxSizes: sizes, modes, jobs, hours, maxWaitSeconds: maxWait };
    const answer = await ask(given);
    if (typeof answer === 'string') return setProblem(answer);
    asked(answer);
  };
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextField label="Idle targets" value={idleTargets} set={setIdleTargets} />
      <TextField label="Maximum sizes" value={maxSizes} set={setMaxSizes} />
      {modeWords.map(([name, words]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={modes.includes(name)}
            onChange={({ currentTarget }) =>
              setModes(currentTarget.checked ? [...modes, name] : modes.filter((one) => one !== name))
            }
          />{' '}
          {words}
        </label>
      ))}
      <label>
        Jobs of{' '}
        <select value={trace} onChange={({ currentTarget }) => setTrace(currentTarget.value as Trace)}>
          <option value="week">a sample week</option>
          <option value="burst">a sample day of bursts</option>
          <option value="history">my own history</option>
        </select>
      </label>
      {trace === 'history' && (
        <label>
          History file{' '}
          <input
            type="file"
            accept=".json,.ndjson,.csv,.txt"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
          />
        </label>
      )}
      <NumberField label="First hours" min={1} max={744} value={hours} set={setHours} />
      <NumberField label="Acceptable p95 wait, seconds" min={1} max={86_400} value={maxWait} set={setMaxWait} />
      <button type="submit" class="primary">
        Replay {counted(idles.length * sizes.length * modes.length, 'configuration')}
      </button>
      {problem !== undefined && (
        <p class="trouble" role="alert">
          Not done: {problem}
        </p>
      )}
      <details>
        <summary>
          Deployed: {mode} mode, idle target {idleTarget}, max {maxSize}
        </summary>
        <pre>{text}</pre>
        <p class="note">
          A history is what GitHub lists: the jobs of runs as JSON, or a CSV of queued_at,duration_seconds,labels.
        </p>
      </details>
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

const TextField = ({ label, value, set }: TextFieldProps) => (
  <label>
    {label}{' '}
    <input type="text" inputMode="numeric" value={value} onInput={({ currentTarget }) => set(currentTarget.value)} />
  </label>
);

const listed = (numbers: readonly number[]): string => [...new Set(numbers)].sort((a, b) => a - b).join(', ');

/** What is no number stays, so that the server can say what is wrong with it. */
const numbersIn = (text: string): number[] =>
  [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ''))].map(Number);
