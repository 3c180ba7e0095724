/**
 * Files. The column of one has its id, name, type and size; the bytes are in a store, under the id. What clients upload waits
 * in a table of Kiln's own until a record takes it, and a job removes what no record has any more.
 */
import type { Definition, FileRules } from './definition.ts';
import type { Endpoint, ValueInput } from './endpoint.ts';
import { modelIn } from './lookup.ts';

/** The table of uploads. */
export const UPLOAD_TABLE = 'kiln_uploads';

/** The job that removes the bytes of a file. No name of an author has a blank. */
export const REMOVAL = 'remove file';

/** The kind under which it is stored, with the id of the file. */
export const REMOVAL_KIND = `${REMOVAL}(file string)`;

/** The largest size in bytes, unless the author says otherwise. */
export const USUAL_MAX = 10 * 2 ** 20;

/** The longest name of a file, in characters. */
export const LONGEST_NAME = 255;

/** Types that a browser may run code of. `image/*` and the like do not include them. */
export const PAGES: readonly string[] = [
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'application/xml',
];

/** A file as it is stored in a column. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

export function hasFiles({ models }: Definition): boolean {
  return models.some(({ fields }) => fields.some(({ file }) => file));
}

/** An input that takes a file: its place in the body, and the field that stores it. */
export interface FileInput {
  /** Its name, behind that of the group around it. */
  readonly path: readonly string[];
  readonly model: string;
  readonly field: string;
  readonly rules: FileRules;
}

export function fileInputs({ request }: Pick<Endpoint, 'request'>, definition: Definition): readonly FileInput[] {
  const inputIn = (group: readonly string[]) => (input: ValueInput) => {
    if (input.type.kind !== 'file' || !input.stores) return [];
    const { model, field } = input.stores;
    return [{ path: [...group, input.name], model, field, rules: fileRules(definition, model, field) }];
  };
  return request.inputs.flatMap((input) =>
    input.kind === 'value' ? inputIn([])(input) : input.inputs.flatMap(inputIn([input.name])),
  );
}

export function fileRules(definition: Definition, model: string, field: string): FileRules {
  return modelIn(definition, model)?.fields.find(({ name }) => name === field)?.file ?? { max: USUAL_MAX };
}
