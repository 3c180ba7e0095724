/** The files of requests: uploads are offered, what was uploaded becomes the value of a field, and files are sent. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { FileRules } from '../../compiler/definition/definition.ts';
import type { Response } from '../../compiler/definition/endpoint.ts';
import {
  type FileInput,
  fileInputs,
  fileRules,
  LONGEST_NAME,
  type StoredFile,
} from '../../compiler/definition/files.ts';
import { ApiError, type InputError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { Hashing } from '../expressions/scope.ts';
import { fileAnswer } from '../files/file-answer.ts';
import { fitsType } from '../files/fits-type.ts';
import { type FileStore, HEAD_BYTES } from '../files/store.ts';
import { NOBODY, offering, pendingUploads, type UploadKey } from '../query/uploads.ts';
import { clientAddress, networkOf } from '../request/client-address.ts';
import type { Exchange } from '../request/exchange.ts';
import type { FormFiles } from '../request/form-body.ts';
import { inputAt, setInput } from '../request/inputs.ts';
import { isAccepted } from '../values/file-rules.ts';
import type { Value } from '../values/value.ts';
import type { ActionTools, RequestScope, WriteAnswer } from './action-tools.ts';

// ── Uploads ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Uploads that are left behind go after a day. */
const RETRY_AFTER = 3600;

export function uploadAnswer({ model, field }: Extract<Response, { kind: 'upload' }>, tools: ActionTools): WriteAnswer {
  const rules = fileRules(tools.definition, model, field);
  const offer = offering(tools.statements);
  return async ({ exchange, scope }) => {
    const { name, type: stated, size } = scope.inputs as Readonly<Record<string, string | number>>;
    const form = formOf({ type: String(stated), size: Number(size) });
    const errors = [...nameErrors(String(name), 'name'), ...refusals(form, rules, (key) => key)];
    if (errors.length > 0) throw new ApiError('validation-failed', { errors });
    const id = randomUUID();
    const store = await tools.files.store();
    const address = await store.uploadAddress(id, form);
    const upload = { id, owner: ownerOf(scope, exchange, tools), model, field, name: String(name), type: form.type };
    if (!(await offer(scope, { ...upload, size: String(form.size) }))) throw tooMany();
    return { status: 201, headers: null, body: JSON.stringify({ file: id, ...address }) };
  };
}

function tooMany(): ApiError {
  return new ApiError('too-many-requests', {
    detail: 'Too many uploads of this caller wait for a record that takes them. Use them first, or try again later.',
    retryAfter: RETRY_AFTER,
  });
}

function nameErrors(name: string, path: string): readonly InputError[] {
  if (name !== '' && [...name].length <= LONGEST_NAME) return [];
  const message = `must have 1 to ${LONGEST_NAME} characters`;
  return [error(path, 'max-length', message, { max: LONGEST_NAME })];
}

interface Form {
  readonly type: string;
  readonly size: number;
}

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/;

/** What is wrong with a file of this type and size, at the place that belongs to it. */
function refusals(
  { type, size }: Form,
  { accept = [], max }: FileRules,
  placeOf: (key: 'type' | 'size') => string,
): readonly InputError[] {
  const isTaken = MEDIA_TYPE.test(type) && isAccepted(type, accept);
  const [typePath, sizePath] = [placeOf('type'), placeOf('size')];
  return [
    ...(isTaken ? [] : [wrongType(typePath, accept)]),
    ...(size > max ? [error(sizePath, 'file-too-large', `must have at most ${max} bytes`, { max })] : []),
    ...(size < 1 ? [error(sizePath, 'out-of-range', 'must have at least one byte', { min: 1 })] : []),
  ];
}

function wrongType(path: string, accept: readonly string[]): InputError {
  const message = accept.length > 0 ? `must be one of ${accept.join(', ')}` : 'must be a media type, such as image/png';
  return error(path, 'file-type', message, { accept });
}

function error(path: string, code: InputError['code'], message: string, params: InputError['params'] = {}): InputError {
  return { path, code, message, params };
}

/** Who may use an upload: the caller. */
function ownerOf({ records }: RequestScope, { request }: Exchange, { files, definition }: ActionTools): string {
  const caller = records['@auth'] as { readonly id: Value } | undefined;
  if (caller) return `${definition.auth?.model}:${caller.id}`;
  return `${NOBODY}${networkOf(clientAddress(request, files.trustedProxies))}`;
}

// ── Inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lets records take what was uploaded for the inputs of a request. */
export type TakeFiles = (scope: RequestScope, exchange: Exchange, files?: FormFiles) => Promise<void>;

interface SentFile {
  readonly input: FileInput;
  readonly key: UploadKey & { readonly id: string };
}

/** Null where no input is a file. */
export function takingFiles(tools: ActionTools): TakeFiles | null {
  const inputs = fileInputs(tools.plan.endpoint, tools.definition);
  if (inputs.length === 0) return null;
  const uploads = pendingUploads(tools.statements);
  const sendForm = sendingForms(tools);
  return async (scope, exchange, files) => {
    const owner = ownerOf(scope, exchange, tools);
    const sent: readonly SentFile[] = inputs.flatMap((input) => {
      const id = inputAt(scope, input.path);
      return typeof id === 'string' ? [{ input, key: { id, owner, model: input.model, field: input.field } }] : [];
    });
    if (sent.length === 0) return;
    if (files) await sendForm(scope, sent, files);
    const found = await inTurn(sent, async ({ input, key }) => ({ input, key, file: await uploads.find(scope, key) }));
    refuse(found.flatMap(({ input, file }) => (file ? [] : [missing(input)])));
    const keepAll = async () => {
      const store = await tools.files.store();
      return inTurn(found, ({ input, key, file }) => keep(store, key.id, input, file as Form));
    };
    const ids = JSON.stringify(found.map(({ key }) => key.id));
    const wrong = await (scope.hashing as Hashing).between(ids, keepAll);
    refuse(wrong.flatMap((each) => each ?? []));
    const taken = await inTurn(found, ({ key }) => uploads.take(scope, key));
    refuse(found.flatMap(({ input }, at) => (taken[at] ? [] : [missing(input)])));
    for (const { input, key, file } of found) setInput(scope, input.path, { id: key.id, ...file } as Value);
  };
}

/**
 * Makes uploads of the files of a form, outside of the transaction: what a request that fails leaves behind is removed as
 * other uploads are.
 */
function sendingForms(tools: ActionTools) {
  const offer = offering(tools.statements);
  const upload = async (scope: RequestScope, { key }: SentFile, file: File) => {
    const form = formOf(file);
    const own = { ...scope, connection: tools.files.connection() };
    if (!(await offer(own, { ...key, name: file.name, type: form.type, size: String(form.size) }))) throw tooMany();
    await (await tools.files.store()).write(key.id, Buffer.from(await file.arrayBuffer()), form);
  };
  return async (scope: RequestScope, sent: readonly SentFile[], files: FormFiles): Promise<void> => {
    const inForm = sent.flatMap((each) => {
      const file = files.get(each.key.id);
      return file ? [{ each, file }] : [];
    });
    refuse((await inTurn(inForm, ({ each, file }) => formErrors(each, file))).flat());
    const work = () => inTurn(inForm, ({ each, file }) => upload(scope, each, file));
    if (inForm.length > 0) await (scope.hashing as Hashing).between('form', work, true);
  };
}

/** Parameters of a media type do not count. */
function formOf({ type, size }: Form): Form {
  return { type: type.replace(/;.*/, '').trim().toLowerCase(), size };
}

async function formErrors({ input }: SentFile, file: File): Promise<readonly InputError[]> {
  const path = input.path.join('.');
  const form = formOf(file);
  const errors = [...nameErrors(file.name, path), ...refusals(form, input.rules, () => path)];
  const head = Buffer.from(await file.slice(0, HEAD_BYTES).arrayBuffer());
  return errors.length > 0 || fitsType(head, form.type) ? errors : [unlike(path, form.type)];
}

function unlike(path: string, type: string): InputError {
  return error(path, 'file-type', `is not of the type ${type}`, { type });
}

async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

function refuse(errors: readonly InputError[]): void {
  if (errors.length > 0) throw new ApiError('validation-failed', { errors });
}

function missing({ path }: FileInput): InputError {
  return error(path.join('.'), 'file-missing', 'must be the `file` of an upload of yours that no record has taken yet');
}

/** Keeps the bytes apart from the address of the upload, unless they are not what they should be. */
async function keep(store: FileStore, id: string, input: FileInput, { type }: Form): Promise<InputError | null> {
  const path = input.path.join('.');
  const check = (head: Buffer, size: number) => {
    refuse(refusals({ type, size }, input.rules, () => path));
    if (!fitsType(head, type)) refuse([unlike(path, type)]);
  };
  try {
    return (await store.keep(id, check)) ? null : missing(input);
  } catch (refusal) {
    const [wrong] = refusal instanceof ApiError ? refusal.errors : [];
    if (wrong) return wrong;
    throw refusal;
  }
}

// ── Downloads ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function downloadAnswer({ file }: Extract<Response, { kind: 'file' }>, tools: ActionTools): WriteAnswer {
  const { run } = compileExpression(file, tools.environment);
  return async ({ exchange, scope }) => {
    const stored = (await run(scope)) as StoredFile | null;
    if (stored === null) throw new ApiError('not-found', { detail: 'The record has no such file.' });
    return fileAnswer(await tools.files.store(), stored, exchange);
  };
}
