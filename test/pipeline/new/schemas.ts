/**
 * The published schemas that the files of a project are held against. Each comes with a package of the registry:
 * Compose's own schema with `dclint`, the API of Kubernetes with `kubernetes-types`, GitHub's parser with
 * `@actions/workflow-parser`, and GitLab's schema inside `gitlab-ci-local`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';
import { bundled } from '../../support/bundled.ts';

const require = createRequire(import.meta.url);

/** Gives sentences on what is wrong. */
export type Check = (value: unknown) => readonly string[];

export function packageFolder(name: string): string {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch (cause) {
    throw new Error(`the package \`${name}\` has the schema that this test needs, and is not installed`, { cause });
  }
}

export function composeCheck(): Check {
  const file = join(packageFolder('dclint'), 'schemas', 'compose.schema.json');
  // It names its dialect with `https`, by which no validator knows it.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
  return checkOf(validator().compile(schema));
}

const KUBERNETES_KINDS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Job: 'batch/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  Secret: 'v1',
  Service: 'v1',
};

/** As strict as `kubectl apply --validate=strict`: a field that Kubernetes does not know is a mistake. */
export function kubernetesCheck(): Check {
  const generator = createGenerator({
    path: join(
      packageFolder('kubernetes-types'),
      '{apps/v1,autoscaling/v2,batch/v1,core/v1,networking/v1,policy/v1}.d.ts',
    ),
    type: '*',
    additionalProperties: false,
    skipTypeCheck: true,
  });
  const checks = new Map(
    Object.keys(KUBERNETES_KINDS).map((kind) => [
      kind,
      checkOf(validator().compile(generator.createSchema(kind) as AnySchemaObject)),
    ]),
  );
  return (value) => {
    const { kind = '', apiVersion = '' } = value as { readonly kind?: string; readonly apiVersion?: string };
    if (KUBERNETES_KINDS[kind] !== apiVersion) return [`there is no ${kind} in ${apiVersion}`];
    return checks.get(kind)?.(value) ?? [];
  };
}

function validator(): Ajv {
  return new Ajv({ strict: false, allErrors: true, validateFormats: false });
}

function checkOf(validate: ValidateFunction): Check {
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

interface ParsedTemplate {
  readonly context: { readonly errors: { getErrors(): readonly { readonly message: string }[] } };
}
type Parser = (file: { readonly name: string; readonly content: string }, trace: object) => ParsedTemplate;

const TRACE = { error: () => undefined, info: () => undefined, verbose: () => undefined };

/** What GitHub's own parser says of a workflow or of an action. */
export async function githubMistakes(kind: 'workflow' | 'action', text: string): Promise<readonly string[]> {
  const parse = await githubParser(kind);
  return parse({ name: `${kind}.yml`, content: text }, TRACE)
    .context.errors.getErrors()
    .map(({ message }) => message);
}

async function githubParser(kind: 'workflow' | 'action'): Promise<Parser> {
  const name = '@actions/workflow-parser';
  const module = kind === 'workflow' ? 'workflows/workflow-parser.js' : 'actions/action-parser.js';
  try {
    const file = new URL(`../../../node_modules/${name}/dist/${module}`, import.meta.url);
    // It imports JSON without saying that it is JSON, which Node refuses.
    const exported = (await import(bundled(file.href))) as Readonly<Record<string, Parser>>;
    return exported[kind === 'workflow' ? 'parseWorkflow' : 'parseAction'] as Parser;
  } catch (cause) {
    throw new Error(`the package \`${name}\` has the schema that this test needs, and is not installed`, { cause });
  }
}
