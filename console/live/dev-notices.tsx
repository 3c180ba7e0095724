/**
 * The errors of the last save, over every view, and a note when the server has new sources. It takes no focus, so
 * typing is not interrupted. It goes away by itself when the sources compile again.
 */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type {
  CompilePlace,
  CompileProblem,
  CompileState,
  LossQuestion,
  SourceLine,
} from '../../runtime/console/live/live-event.ts';
import { consoleApi, useSending } from '../state/console-api.ts';
import { CONSOLE_KEY } from '../state/page.ts';
import { loadApiDocument, useStore } from '../state/store.ts';
import { Button, Field, IconButton } from '../ui/controls.tsx';
import { counted, Notice, withCode } from '../ui/text.tsx';
import { compile, connection, followLive, update } from './live-state.ts';

export function DevNotices(): JSX.Element {
  useEffect(followLive, []);
  return (
    <>
      <CompileOverlay />
      <UpdateNote />
      <RestartNote />
    </>
  );
}

/** The note after a restart of the server, which has another key; the key comes with the page. */
function RestartNote(): JSX.Element | null {
  const isRefused = useStore(connection) === 'refused';
  if (!isRefused || !CONSOLE_KEY) return null;
  return (
    <div class="update-box box surface padded" role="alert">
      <p class="spaced">
        <code>kiln dev</code> was restarted.
      </p>
      <Button isSmall look="primary" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </div>
  );
}

function CompileOverlay(): JSX.Element | null {
  const state = useStore(compile);
  const { problems, question } = state;
  const [closed, setClosed] = useState<CompileState | null>(null);
  const titleId = useId();
  const close = (): void => setClosed(state);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (problems.length === 0 && !question) return null;
  const isInSources = problems.some(({ place, code }) => place !== null || code !== null);
  const title = question
    ? 'Data would be lost'
    : isInSources
      ? `${counted(problems.length, 'error')} in the sources`
      : 'The last save is not served';
  if (closed === state)
    return (
      <button type="button" class="compile-again button" onClick={() => setClosed(null)}>
        {title}
      </button>
    );
  return (
    <section class="compile-overlay" aria-labelledby={titleId}>
      <div class="compile-box box surface raised">
        <div class="dialog-head line">
          <div role="alert">
            <h2 id={titleId}>{title}</h2>
            <p class="soft medium">The last version without errors is still being served.</p>
          </div>
          <IconButton icon="close" label="Close" class="close" onClick={close} />
        </div>
        {question && <Question key={question.text} question={question} />}
        <ol class="compile-problems">
          {problems.map((problem, at) => (
            <Problem key={at} at={at} problem={problem} />
          ))}
        </ol>
      </div>
    </section>
  );
}

/** The question that the terminal asks, with a button for each answer. */
function Question({ question }: { readonly question: LossQuestion }): JSX.Element {
  const { text, choices, word } = question;
  const { isBusy, rejection, send } = useSending();
  const [typed, setTyped] = useState('');
  const answer = (given: string): void =>
    void send(async () => {
      await consoleApi.send('answer', { method: 'POST', body: { question: JSON.stringify(question), answer: given } });
    });
  const typing =
    word === undefined
      ? []
      : [
          { answer: word, says: 'delete everything' },
          { answer: '', says: 'cancel' },
        ];
  return (
    <div class="compile-problem vertical">
      <h3>{withCode(text)}</h3>
      {word !== undefined && (
        <Field label={`Type ${word} to do it`}>
          {(attributes) => (
            <input {...attributes} value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
          )}
        </Field>
      )}
      {[...choices, ...typing].map(({ answer: given, says }) => (
        <Button
          key={given}
          look={given === 'd' || given === word ? 'danger' : 'quiet'}
          isBusy={isBusy}
          disabled={given === word && typed !== word}
          onClick={() => answer(given)}
        >
          <span>{withCode(sentence(says))}</span>
        </Button>
      ))}
      {rejection && <Notice kind="error">{rejection.message}</Notice>}
    </div>
  );
}

interface ProblemProps {
  readonly at: number;
  readonly problem: CompileProblem;
}

function Problem({ at, problem }: ProblemProps): JSX.Element {
  const { code, message, help, place, notes, canFix } = problem;
  const { isBusy, rejection, send } = useSending();
  const fix = (): void =>
    void send(async () => {
      await consoleApi.send('fix', { method: 'POST', body: { at, message } });
    });
  return (
    <li class="compile-problem">
      <h3>{withCode(sentence(message))}</h3>
      {place && <Source place={place} />}
      {notes.map(({ message: note, place: noted }) => (
        <div key={note} class="compile-note apart">
          <p class="spaced medium">{withCode(sentence(note))}</p>
          <Source place={noted} />
        </div>
      ))}
      {help !== null && (
        <p class="compile-help apart medium">
          <strong>Help</strong> {withCode(sentence(help))}
        </p>
      )}
      {rejection && <Notice kind="error">{rejection.message}</Notice>}
      <div class="row apart medium">
        {canFix && (
          <Button isSmall look="primary" isBusy={isBusy} onClick={fix}>
            Apply the fix
          </Button>
        )}
        {place && (
          <a class="button is-small" href={`vscode://file${editorPath(place.path)}:${place.line}:${place.column}`}>
            Open in VS Code
          </a>
        )}
        {code !== null && <code class="soft">kiln explain {code}</code>}
      </div>
    </li>
  );
}

function Source({ place: { file, line, column, source, label } }: { readonly place: CompilePlace }): JSX.Element {
  return (
    <figure class="source box lined">
      <figcaption class="padded soft">
        {file}:{line}:{column}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keys. */}
      <pre tabIndex={0}>
        {source.map((each) => (
          <SourceRow key={each.line} line={each} />
        ))}
      </pre>
      {label !== null && <p class="source-label padded medium">{withCode(sentence(label))}</p>}
    </figure>
  );
}

function SourceRow({ line: { line, text, mark } }: { readonly line: SourceLine }): JSX.Element {
  const [start, end] = mark ?? [text.length, text.length];
  return (
    <span class={`source-line ${mark ? 'is-marked' : ''}`}>
      <span class="source-number" aria-hidden="true">
        {line}
      </span>
      <code>
        {text.slice(0, start)}
        {mark && <mark>{text.slice(start, end) || ' '}</mark>}
        {text.slice(end)}
      </code>
    </span>
  );
}

/** Makes a message a sentence. It begins the line here, while in the terminal it follows its code. */
function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const NOTE_MS = 5000;
const MOST_CHANGES = 5;

/** The note about new sources. Typed text stays: only the documents are read again. */
function UpdateNote(): JSX.Element {
  const { count, changes } = useStore(update);
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (count === 0) return;
    setShown(count);
    void loadApiDocument();
    const timer = setTimeout(() => setShown(0), NOTE_MS);
    return () => clearTimeout(timer);
  }, [count]);
  const more = changes.length - MOST_CHANGES;
  return (
    <div class="update-note" role="status">
      {shown !== 0 && (
        <div class="update-box box surface padded">
          <strong>Updated</strong>
          <ul>
            {changes.slice(0, MOST_CHANGES).map((line) => (
              <li key={line}>{withCode(line)}</li>
            ))}
            {more > 0 && <li>and {more} more</li>}
          </ul>
        </div>
      )}
    </div>
  );
}

/** One of Windows begins with a letter. */
function editorPath(path: string): string {
  const encoded = encodeURI(path.replaceAll('\\', '/')).replace(/[#?]/g, encodeURIComponent);
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
}
