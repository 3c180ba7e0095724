/**
 * Files of packages that bundles lack, or have in another form: what Kiln never calls, yet would make a bundle larger or its
 * start slower. Each is a pattern of paths, and what is in place of such a file.
 */
import { readFileSync } from 'node:fs';

const NOTHING = 'module.exports = {};';

/** Loading dockerode as it is takes three times as long as starting Node. */
export const OF_COMMAND_LINE = [
  // Commander can run programs as subcommands, for which it loads `node:child_process`. Kiln has none.
  [/commander\/lib\/command\.js$/, swapped("require('node:child_process')", 'undefined')],
  // Sessions of BuildKit, and archives of folders, which no build of Kiln's needs.
  [/dockerode\/lib\/session\.js$/, NOTHING],
  [/dockerode\/lib\/buildkit\.js$/, NOTHING],
  [/tar-fs\/index\.js$/, NOTHING],
  // The client of SSH is loaded where the engine is behind one.
  [
    /docker-modem\/lib\/ssh\.js$/,
    swapped(
      "var Client = require('ssh2').Client,",
      "var Client = function () { return new (require('ssh2').Client)(); },",
    ),
  ],
];

/** Kiln speaks to Postgres alone; knex has code for nine other databases. */
const DIALECTS = 'better-sqlite3|cockroachdb|mariadb|mssql|mysql|mysql2|oracle|oracledb|pgnative|redshift|sqlite3';

export const OF_RUNTIME = [
  // Express brings a reader of bodies, with all character sets that there are. Kiln reads bodies itself.
  [/body-parser\/index\.js$/, NOTHING],
  // The library for mail has lists for attachments and for the mail servers of companies. Mails have neither.
  [/nodemailer\/dist\/esm\/well-known\/services\.js$/, 'export const services = {};'],
  [
    /nodemailer\/dist\/esm\/mime-funcs\/mime-types\.js$/,
    "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin';",
  ],
  // To find out whether it runs on Cloudflare, pg makes a response as `fetch` gives them, for which Node loads all of its
  // `fetch`: an eighth of the start of a server.
  [/pg\/lib\/stream\.js$/, swapped('if (isCloudflareRuntime())', 'if (false)')],
  [new RegExp(`knex/lib/dialects/(${DIALECTS})/index\\.js$`), 'module.exports = undefined;'],
  // knex makes its migrations and seeds only where somebody asks for them, which Kiln never does.
  [/knex\/lib\/migrations\/(migrate\/Migrator|seed\/Seeder)\.js$/, 'module.exports = class {};'],
  // Objection reads the errors of four databases.
  [/db-errors\/lib\/parsers\/index\.js$/, "exports.postgres = require('./postgres/DBError/parser');"],
  [/db-errors\/lib\/errorCodes\/m[sy]+ql\.js$/, NOTHING],
  // It has a validator of JSON Schemas for models that have one. Those of Kiln have none.
  [/ajv(-formats)?\/dist\/(ajv|index)\.js$/, "module.exports = class { formats = { 'date-time': true }; };"],
  // With exemplars, prom-client asks OpenTelemetry for the trace. Kiln uses none.
  [/@opentelemetry\/api\/dist\/index\.cjs$/, NOTHING],
  // Express looks up types by the endings of files. Most types have none.
  [/mime-db\/index\.js$/, (_, path) => `module.exports = ${typesOfFiles(path.replace('index.js', 'db.json'))};`],
];

/** Fails where no file has such a path: one that has moved would be bundled as it is, without a word. */
export function leanPackages(replaced) {
  const seen = new Set();
  return {
    name: 'lean-packages',
    setup({ onLoad, onEnd }) {
      for (const [filter, content] of replaced) {
        onLoad({ filter }, ({ path }) => {
          seen.add(filter);
          return { contents: typeof content === 'string' ? content : content(readFileSync(path, 'utf8'), path) };
        });
      }
      const unseen = () => replaced.filter(([filter]) => !seen.has(filter));
      onEnd(() => ({
        errors: unseen().map(([filter]) => ({ text: `no file is loaded any more from ${filter.source}` })),
      }));
    },
  };
}

function swapped(before, after) {
  return (text, path) => {
    if (!text.includes(before)) throw new Error(`${path} has no \`${before}\` any more`);
    return text.replace(before, () => after);
  };
}

function typesOfFiles(database) {
  const types = Object.entries(JSON.parse(readFileSync(database, 'utf8')));
  return JSON.stringify(Object.fromEntries(types.filter(([, { extensions, charset }]) => extensions ?? charset)));
}
