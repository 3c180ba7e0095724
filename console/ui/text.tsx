import type { ComponentChildren, JSX } from 'preact';

/** A text in which backticks are around code. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** Texts of authors: paragraphs, lists and code are all that they have. */
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
