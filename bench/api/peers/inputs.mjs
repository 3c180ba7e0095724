/** The checks of the hand-written servers that validate without a library. */
import { Problem } from './problems.mjs';

const title = { minLength: 4, maxLength: 200 };
const authorName = { minLength: 1, maxLength: 80 };
const commentBody = { minLength: 1, maxLength: 2000 };

/** What is wrong with a new comment; empty where nothing is. */
export function commentErrors(body) {
  return [
    ...textErrors('author_name', body.author_name, authorName, true),
    ...textErrors('body', body.body, commentBody, true),
  ];
}

export function titleErrors(body) {
  return textErrors('title', body.title, title, false);
}

/** What is wrong with an order and its lines. */
export function orderErrors({ customer, lines }) {
  const ofCustomer = textErrors('customer', customer, authorName, true);
  if (lines === undefined) return [...ofCustomer, inputError('lines', 'required', {})];
  if (!Array.isArray(lines)) return [...ofCustomer, inputError('lines', 'wrong-type', { type: 'list' })];
  if (lines.length < 1) return [...ofCustomer, inputError('lines', 'min-items', { min: 1 })];
  if (lines.length > 100) return [...ofCustomer, inputError('lines', 'max-items', { max: 100 })];
  return [...ofCustomer, ...lines.flatMap(lineErrors)];
}

function lineErrors({ product_id, quantity }, at) {
  const ofProduct = integerErrors(`lines[${at}].product_id`, product_id);
  const ofQuantity = integerErrors(`lines[${at}].quantity`, quantity);
  const isTooSmall = ofQuantity.length === 0 && quantity < 1;
  return [...ofProduct, ...ofQuantity, ...(isTooSmall ? [inputError(`lines[${at}].quantity`, 'min', { min: 1 })] : [])];
}

function integerErrors(path, value) {
  if (value === undefined) return [inputError(path, 'required', {})];
  return Number.isSafeInteger(value) ? [] : [inputError(path, 'wrong-type', { type: 'integer' })];
}

function textErrors(path, value, { minLength, maxLength }, required) {
  if (value === undefined) return required ? [inputError(path, 'required', {})] : [];
  if (value === null) return [inputError(path, 'not-nullable', {})];
  if (typeof value !== 'string') return [inputError(path, 'wrong-type', { type: 'string' })];
  if (value.length < minLength) return [inputError(path, 'min-length', { minLength })];
  if (value.length > maxLength) return [inputError(path, 'max-length', { maxLength })];
  return [];
}

function inputError(path, code, params) {
  return { path, code, message: `${path}: ${code}`, params };
}

/** `page` and `pageSize` of a query string, as the text of each. */
export function pageFromTexts(pageText, pageSizeText) {
  const page = integerFromText(pageText, 1);
  const pageSize = integerFromText(pageSizeText, 20);
  if (page < 1 || pageSize < 1 || pageSize > 100) throw new Problem('malformed-request');
  return { page, pageSize };
}

export function integerFromText(text, otherwise) {
  if (text === undefined || text === null) {
    if (otherwise === undefined) throw new Problem('malformed-request');
    return otherwise;
  }
  if (typeof text !== 'string' || !/^-?\d{1,15}$/.test(text)) throw new Problem('malformed-request');
  return Number(text);
}

/** The body of a write, which must be a JSON object. */
export function objectFromBody(body) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Problem('malformed-request');
  return body;
}
