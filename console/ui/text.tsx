import type { ComponentChildren, JSX } from 'preact';

/** A text in which backticks are around code. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** A text of an author: it has only paragraphs, lists and code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="prose">
      {text.split(/\n\n+/).map((block) => {
        const lines = block.split('\n');
        if (!lines.every((line) => line.startsWith('- '))) return <p key={block}>{withCode(block)}</p>;
        return (
          <ul key={block}>
            {lines.map((line) => (
              <li key={line}>{withCode(line.slice(2))}</li>
            ))}
          </ul>
        );
      })}
    </div>
  );
}

// ── Times and sizes for people ───────────────────────────────────────────────────────────────────────────────────────

export function msText(milliseconds: number): string {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds >= 100) return `${Math.round(milliseconds)} ms`;
  return milliseconds >= 10 ? `${milliseconds.toFixed(1)} ms` : `${milliseconds.toFixed(2)} ms`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The time of the day, in the time zone of the browser. */
export function clockText(at: number): string {
  return CLOCK.format(at);
}

const CLOCK = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
