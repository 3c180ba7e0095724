/**
 * Kiln uses parts of some packages that these do not promise to keep. Their versions are pinned in package.json, and the
 * build checks here that the parts are still there, so that nobody updates such a package without looking at them.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Every package whose private parts are used, and the file that uses them. */
export const USED_BY = {
  pg: 'runtime/query/connections/driver.ts',
  knex: 'runtime/hooks/objection-models.ts',
  dockerode: 'scripts/lean-dockerode.mjs',
  'docker-modem': 'scripts/lean-dockerode.mjs',
};

/** Throws one error for all parts that are missing. */
export function checkPrivateParts(packages = { pg: require('pg'), knex: require('knex') }) {
  const missing = [
    ...missingInPg(packages.pg).map((part) => `pg has no ${part} any more`),
    ...missingInKnex(packages.knex).map((part) => `knex has no ${part} any more`),
  ];
  if (missing.length > 0) throw new Error(missing.map(withUser).join('\n'));
}

/** The message for a part of a package that is gone. */
export function withUser(sentence) {
  const [name] = sentence.split(' ');
  return `${sentence}. See ${USED_BY[name]}, and pin ${name} to a version that has it.`;
}

const WIRE_METHODS = ['attachListeners', 'connect', 'requestSsl', 'cancel', 'parse', 'close'];
const CLIENT_METHODS = ['getStartupConf', 'getTransactionStatus'];
const QUEUES = ['_queryQueue', '_sentQueryQueue'];
const STATEMENTS = ['parsedStatements', 'submittedNamedStatements'];
/** What pg calls on a query of ours. */
const QUERY_CALLBACKS = [
  'handleCommandComplete',
  'handleDataRow',
  'handleEmptyQuery',
  'handleError',
  'handleReadyForQuery',
  'handleRowDescription',
];

function missingInPg({ Client, Connection, Query }) {
  if (typeof Connection !== 'function') return ['`Connection`'];
  const client = new Client({ host: '127.0.0.1', port: 1 });
  const wire = client.connection ?? {};
  return [
    ...missingMethods('`Client`', client, CLIENT_METHODS),
    ...QUEUES.filter((name) => !Array.isArray(client[name])).map((name) => `array \`${name}\` in its clients`),
    ...missingMethods('`Connection`', wire, WIRE_METHODS),
    ...STATEMENTS.filter((name) => typeof wire[name] !== 'object').map((name) => `\`${name}\` in its connections`),
    ...missingMethods('`Query`', Query?.prototype ?? {}, QUERY_CALLBACKS),
  ];
}

/** Begins a transaction inside one of ours, as hooks do, and sees what Knex asks of the outer one. No query is sent. */
function missingInKnex(knex) {
  const { client } = knex({ client: 'pg' });
  if (typeof client.transaction !== 'function') return ['method `transaction` in its clients'];
  const never = new Promise(() => {});
  const outer = { _lastChild: never, isCompleted: () => true, transactor: {} };
  const inner = client.transaction(() => undefined, undefined, outer);
  return [
    ...(outer._lastChild === never ? ['`_lastChild`, for which inner transactions wait,'] : []),
    ...(inner.isCompleted() ? [] : ['`isCompleted` that asks the outer transaction']),
  ];
}

function missingMethods(owner, object, names) {
  return names.filter((name) => typeof object[name] !== 'function').map((name) => `method \`${name}\` in its ${owner}`);
}
