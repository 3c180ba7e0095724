/** A file by its name, with a small picture if it is one. A click saves it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useSending } from '../state/console-api.ts';
import { type FileForm, save } from '../state/files.ts';
import { FieldError } from './controls.tsx';
import { bytesText } from './text.tsx';

interface FileViewProps {
  readonly file: FileForm;
  /** The place of the file. `load` reads it from there. */
  readonly path: string;
  readonly load: (path: string) => Promise<Blob>;
}

/** The largest picture that is loaded to be shown, in bytes. */
const LARGEST = 2_000_000;

export function FileView({ file: { name, type, size }, path, load }: FileViewProps): JSX.Element {
  const [picture, setPicture] = useState('');
  const { rejection, send } = useSending();
  useEffect(() => {
    const show = (blob: Blob): void => setPicture(URL.createObjectURL(blob));
    // Without the picture, its name is still there.
    if (type.startsWith('image/') && size <= LARGEST) load(path).then(show, () => undefined);
  }, [path, name, size]);
  return (
    <span class="file line">
      {picture !== '' && <img src={picture} alt="" onLoad={() => URL.revokeObjectURL(picture)} />}
      <button
        type="button"
        class="link ellipsis"
        title={`Save ${name}`}
        onClick={() => void send(async () => save(await load(path), name))}
      >
        {name}
      </button>
      <span class="soft tiny numbers">{bytesText(size)}</span>
      {rejection?.message && <FieldError>{rejection.message}</FieldError>}
    </span>
  );
}
