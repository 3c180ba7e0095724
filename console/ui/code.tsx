/** Code with colours, and a button that copies it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { IconButton } from './controls.tsx';
import { type Language, tokensOf } from './highlight.ts';

interface CodeProps {
  readonly text: string;
  readonly language?: Language;
  /** The label of the copy button, for screen readers: `Copy the curl command`. */
  readonly copyLabel?: string;
}

export function Code({ text, language = 'text', copyLabel = 'Copy' }: CodeProps): JSX.Element {
  return (
    <div class={`code box is-${language}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keys. */}
      <pre tabIndex={0}>
        <code>
          {tokensOf(text, language).map(({ kind, text: part }, at) =>
            kind === null ? (
              part
            ) : (
              <span key={at} class={`token-${kind}`}>
                {part}
              </span>
            ),
          )}
        </code>
      </pre>
      <CopyButton text={text} label={copyLabel} />
    </div>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await writeToClipboard(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 1500);
  };
  return (
    <>
      <IconButton icon={isCopied ? 'check' : 'copy'} label={label} class="copy" onClick={() => void copy()} />
      <span class="visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}

/** A page that came over plain HTTP from another machine has no clipboard of its own. */
async function writeToClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
