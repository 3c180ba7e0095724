/** What is wrong with a document: by the official schema of OpenAPI 3.1, and by what that schema cannot say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '../../../compiler/emit/openapi/document.ts';
import { type Route, routesOf } from './documents.ts';

/**
 * Published by the OpenAPI Initiative under Apache-2.0 (https://spec.openapis.org/oas/3.1/schema/2026-08-03). Its dynamic
 * references are plain ones here, which is what ajv can follow.
 */
const OFFICIAL = join(import.meta.dirname, 'golden/openapi-3.1.schema.json');

let official: ValidateFunction | undefined;

function officialSchema(): ValidateFunction {
  const formats = { uri: true, 'uri-reference': true, 'media-range': true, email: true, regex: true } as const;
  official ??= new Ajv2020({ strict: false, formats }).compile(JSON.parse(readFileSync(OFFICIAL, 'utf8')));
  return official;
}

export function structureProblems(document: OpenApiDocument): readonly string[] {
  return [
    ...(officialSchema()(document) ? [] : [JSON.stringify(officialSchema().errors)]),
    ...schemaProblems(document),
    ...refProblems(document),
    ...repeated(routesOf(document).map(({ operation }) => operation.operationId)),
    ...routesOf(document).flatMap((route) => routeProblems(route, document)),
  ];
}

const ajv = new Ajv2020({ strict: false });

/** Each must be a JSON Schema of 2020-12 by itself. */
function schemaProblems({ components }: OpenApiDocument): readonly string[] {
  return Object.entries(components.schemas).flatMap(([name, schema]) =>
    ajv.validateSchema(schema) === true ? [] : [`${name}: ${JSON.stringify(ajv.errors)}`],
  );
}

/** All that is referred to is there, and all that is there is referred to. */
function refProblems(document: OpenApiDocument): readonly string[] {
  const { schemas, responses, headers } = document.components;
  const there = Object.entries({ schemas, responses, headers }).flatMap(([section, entries]) =>
    Object.keys(entries).map((name) => `#/components/${section}/${name}`),
  );
  const used = new Set(JSON.stringify(document).match(/#\/components\/[^"]+/g) ?? []);
  return [
    ...[...used].filter((ref) => !there.includes(ref)).map((ref) => `${ref} is not there`),
    ...there.filter((ref) => !used.has(ref)).map((ref) => `${ref} is not used`),
  ];
}

function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is there twice`);
}

function routeProblems({ path, operation }: Route, { tags, components }: OpenApiDocument): readonly string[] {
  const { operationId, parameters = [], security = [] } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => `path ${match[1]}`);
  const described = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  const missing = inPath.filter((name) => !described.includes(name));
  const needless = described.filter((name) => name.startsWith('path ') && !inPath.includes(name));
  const unknownTags = operation.tags.filter((tag) => !tags.some(({ name }) => name === tag));
  const unknownSchemes = security
    .flatMap((each) => Object.keys(each))
    .filter((name) => !components.securitySchemes?.[name]);
  const isNamed = /^[a-zA-Z_][a-zA-Z0-9]*$/.test(operationId);
  const wrong = [...repeated(described), ...missing, ...needless, ...unknownTags, ...unknownSchemes];
  return [...wrong, ...(isNamed ? [] : ['no identifier'])].map((what) => `${operationId}: ${what}`);
}
