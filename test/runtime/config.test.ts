import { expect } from 'chai';
import { type Config, configFromEnvironment, type Environment } from '../../runtime/config/config.ts';
import { addressesOf, serversOf } from '../../runtime/config/reading.ts';
import { VARIABLES, type Variable } from '../../runtime/config/variables.ts';

const DATABASE_URL = 'postgres://kiln:hunter2@db:5432/blog';

function configOf(env: Environment): Config {
  const result = configFromEnvironment({ DATABASE_URL, ...env });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

function problemsOf(env: Environment): readonly string[] {
  const result = configFromEnvironment({ DATABASE_URL, ...env });
  return result.ok ? [] : result.problems;
}

const PROVIDER = { KILN_JWT_ISSUER: 'https://id.example.com', KILN_JWT_AUDIENCE: 'blog' };

describe('the configuration', () => {
  it('needs the address of the database alone', () => {
    expect(configOf({})).to.deep.equal({
      databaseReadUrls: [],
      databaseUrl: DATABASE_URL,
      port: 3000,
      host: '0.0.0.0',
      workers: 1,
      jobs: 5,
      logLevel: 'info',
      corsOrigins: [],
      poolMax: 10,
      bodyLimit: 1024 * 1024,
      metricsPort: null,
      connectionsMax: 5000,
      connectionRequestsMax: 16,
      requestsMax: 1000,
      writeTimeout: 30_000,
      unreadLimit: 128 * 1024 * 1024,
      bodiesLimit: 128 * 1024 * 1024,
      listLimit: 1000,
      statementTimeout: 30_000,
      acquireTimeout: 5000,
      hookTimeout: 30_000,
      shutdownGrace: 5000,
      shutdownTimeout: 25_000,
      tokenLifetime: 30 * 86_400,
      loginLimit: { failures: 20, seconds: 900 },
      trustedProxies: 0,
      docs: true,
      docsPage: true,
      consoleSecret: null,
      jwt: null,
      mailUrl: null,
      mailFrom: null,
      files: null,
      webhookPrivate: false,
      liveMax: 10_000,
    } satisfies Config);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(configOf({ PORT: '', CORS_ORIGIN: ' ', KILN_JWT_ISSUER: '' })).to.deep.equal(configOf({}));
  });

  for (const [env, expected] of [
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: ' 8080 ' }, { port: 8080 }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ LOG_LEVEL: 'DEBUG' }, { logLevel: 'debug' }],
    [{ CORS_ORIGIN: '*' }, { corsOrigins: ['*'] }],
    [
      { CORS_ORIGIN: 'https://a.example.com, http://localhost:5173,capacitor://localhost' },
      { corsOrigins: ['https://a.example.com', 'http://localhost:5173', 'capacitor://localhost'] },
    ],
    [{ BODY_LIMIT: '512kb' }, { bodyLimit: 512 * 1024 }],
    [{ BODY_LIMIT: '2 MB' }, { bodyLimit: 2 * 1024 * 1024 }],
    [{ BODY_LIMIT: '100' }, { bodyLimit: 100 }],
    [{ LIST_LIMIT: '50' }, { listLimit: 50 }],
    [{ REQUESTS_MAX: '10' }, { requestsMax: 10 }],
    [{ CONNECTIONS_MAX: '20' }, { connectionsMax: 20 }],
    [{ CONNECTION_REQUESTS_MAX: '1' }, { connectionRequestsMax: 1 }],
    [{ WRITE_TIMEOUT: '5s' }, { writeTimeout: 5000 }],
    [{ UNREAD_LIMIT: '1mb' }, { unreadLimit: 1024 * 1024 }],
    [{ BODIES_LIMIT: '1mb' }, { bodiesLimit: 1024 * 1024 }],
    [{ DATABASE_POOL_MAX: '1' }, { poolMax: 1 }],
    [{ DATABASE_STATEMENT_TIMEOUT: '0' }, { statementTimeout: 0 }],
    [{ DATABASE_STATEMENT_TIMEOUT: '1500' }, { statementTimeout: 1500 }],
    [{ DATABASE_ACQUIRE_TIMEOUT: '250ms' }, { acquireTimeout: 250 }],
    [{ HOOK_TIMEOUT: '2m' }, { hookTimeout: 120_000 }],
    [{ SHUTDOWN_GRACE: '0' }, { shutdownGrace: 0 }],
    [{ SHUTDOWN_TIMEOUT: '1h' }, { shutdownTimeout: 3_600_000 }],
    [{ TOKEN_LIFETIME: '12h' }, { tokenLifetime: 43_200 }],
    [{ LOGIN_LIMIT: 'off' }, { loginLimit: null }],
    [{ LOGIN_LIMIT: '5 / 1h' }, { loginLimit: { failures: 5, seconds: 3600 } }],
    [{ TRUST_PROXY: '2' }, { trustedProxies: 2 }],
    [{ MAIL_URL: 'smtps://a:b@mail.example.com' }, { mailUrl: 'smtps://a:b@mail.example.com' }],
    [{ WEBHOOK_PRIVATE: 'allow' }, { webhookPrivate: true }],
    [{ MAIL_FROM: 'Shop <shop@example.com>' }, { mailFrom: 'Shop <shop@example.com>' }],
    [{ METRICS_PORT: '9464' }, { metricsPort: 9464 }],
    [{ DOCS_PAGE: 'off' }, { docs: true, docsPage: false }],
    [{ DOCS: 'off' }, { docs: false, docsPage: false }],
    [{ CONSOLE: 'on', CONSOLE_SECRET: 's'.repeat(16) }, { consoleSecret: 's'.repeat(16) }],
    [{ CONSOLE_SECRET: 's'.repeat(16) }, { consoleSecret: null }],
    [
      {
        KILN_JWT_JWKS_URL: 'https://id.example.com/jwks',
        KILN_JWT_ISSUER: 'https://id.example.com',
        KILN_JWT_AUDIENCE: 'blog',
      },
      {
        jwt: {
          key: { kind: 'jwks', url: 'https://id.example.com/jwks' },
          issuer: 'https://id.example.com',
          audience: 'blog',
        },
      },
    ],
    [
      { KILN_JWT_SECRET: 's'.repeat(32), KILN_JWT_ISSUER: 'https://id.example.com', KILN_JWT_AUDIENCE: 'blog' },
      {
        jwt: {
          key: { kind: 'secret', secret: 's'.repeat(32) },
          issuer: 'https://id.example.com',
          audience: 'blog',
        },
      },
    ],
  ] as const satisfies readonly (readonly [Environment, Partial<Config>])[]) {
    it(`reads ${JSON.stringify(env)}`, () => {
      expect(configOf(env)).to.deep.include(expected);
    });
  }

  for (const [name, text, problem] of [
    ['PORT', '70000', 'PORT must be a whole number from 0 to 65535, but it is `70000`.'],
    ['PORT', '3000x', 'PORT must be a whole number from 0 to 65535, but it is `3000x`.'],
    ['PORT', '-1', 'PORT must be a whole number from 0 to 65535, but it is `-1`.'],
    [
      'HOST',
      'http://x/',
      'HOST must be the address of a network interface, such as `0.0.0.0` or `::1`, but it is `http://x/`.',
    ],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but it is `loud`.'],
    [
      'CORS_ORIGIN',
      'https://a.example.com/',
      'CORS_ORIGIN must be `*` or origins with commas between them, such as `https://app.example.com`, but it has `https://a.example.com/`: write `https://a.example.com`.',
    ],
    [
      'CORS_ORIGIN',
      'a.example.com',
      'CORS_ORIGIN must be `*` or origins with commas between them, such as `https://app.example.com`, but `a.example.com` is none.',
    ],
    ['CORS_ORIGIN', '*,https://a.b', 'CORS_ORIGIN must be `*` alone or a list of origins, but it has both.'],
    [
      'BODY_LIMIT',
      '1gb',
      'BODY_LIMIT must be a size of at most 256mb such as `1mb`, `512kb` or a number of bytes, but it is `1gb`.',
    ],
    ['DATABASE_POOL_MAX', '0', 'DATABASE_POOL_MAX must be a whole number from 1 to 10000, but it is `0`.'],
    [
      'HOOK_TIMEOUT',
      '0',
      'HOOK_TIMEOUT must be milliseconds, or a time of at most 24 days such as `500ms`, `30s` or `2m`, but it is `0`.',
    ],
    [
      'DATABASE_STATEMENT_TIMEOUT',
      'never',
      'DATABASE_STATEMENT_TIMEOUT must be `0`, milliseconds, or a time of at most 24 days such as `500ms`, `30s` or `2m`, but it is `never`.',
    ],
    [
      'SHUTDOWN_TIMEOUT',
      '30d',
      'SHUTDOWN_TIMEOUT must be milliseconds, or a time of at most 24 days such as `500ms`, `30s` or `2m`, but it is `30d`.',
    ],
    [
      'TOKEN_LIFETIME',
      '3600',
      'TOKEN_LIFETIME must be a time with its unit, from `1s` to `3650d`, such as `12h` or `30d`, but it is `3600`.',
    ],
    [
      'KILN_JWT_JWKS_URL',
      'ftp://x',
      'KILN_JWT_JWKS_URL must be an address that begins with `https://` or `http://`, but it is `ftp://x`.',
    ],
    [
      'CONSOLE_SECRET',
      'pässword-of-the-console',
      'CONSOLE_SECRET must have only ASCII letters, digits and signs, and no spaces.',
    ],
    ['CONSOLE_SECRET', 'hunter2', 'CONSOLE_SECRET must have at least 16 characters, but it has 7.'],
    [
      'CONSOLE',
      'on',
      'CONSOLE is `on`, but CONSOLE_SECRET is not set: set it to a random text of at least 16 characters.',
    ],
    ['KILN_JWT_SECRET', 'short', 'KILN_JWT_SECRET must have at least 32 bytes, but it has 5.'],
    [
      'KILN_JWT_ISSUER',
      'x',
      'KILN_JWT_ISSUER is set, but there is no key: set KILN_JWT_JWKS_URL or KILN_JWT_SECRET too.',
    ],
    [
      'LOGIN_LIMIT',
      '20',
      'LOGIN_LIMIT must be `off`, or a number and a time of at most `1d`, such as `20/15m`, but it is `20`.',
    ],
    [
      'LOGIN_LIMIT',
      '0/15m',
      'LOGIN_LIMIT must be `off`, or a number and a time of at most `1d`, such as `20/15m`, but it is `0/15m`.',
    ],
    ['TRUST_PROXY', 'yes', 'TRUST_PROXY must be a whole number from 0 to 16, but it is `yes`.'],
    ['DATABASE_URL', 'mysql://x', 'DATABASE_URL must begin with `postgres://` or `postgresql://`.'],
    [
      'DATABASE_URL',
      'postgres://me:secret@a:5432,b:5432/x?target_session_attrs=any',
      'DATABASE_URL names several hosts, so it needs `?target_session_attrs=read-write`: the one that takes writes is used.',
    ],
    [
      'DATABASE_READ_URL',
      'postgres://c/x,postgres://me:secret@a,b:5432/x?target_session_attrs=read-write',
      'DATABASE_READ_URL has an address with several hosts: write one address for each replica, separated by commas.',
    ],
    [
      'DATABASE_URL',
      'postgres://db/x?sslmode=verify-full&sslrootcert=/no/ca.pem',
      'DATABASE_URL names the file `/no/ca.pem` as `sslrootcert`, which cannot be read (ENOENT).',
    ],
  ] as const) {
    it(`refuses ${name}=${text}`, () => {
      const isKey = name === 'KILN_JWT_JWKS_URL' || name === 'KILN_JWT_SECRET';
      const others = isKey ? PROVIDER : {};
      expect(problemsOf({ ...others, [name]: text })).to.deep.equal([problem]);
    });
  }

  it('says that the address of the database is missing', () => {
    expect(problemsOf({ DATABASE_URL: '' })).to.deep.equal([
      'DATABASE_URL is not set: it must look like `postgres://user:password@host:5432/database`.',
    ]);
  });

  for (const [env, problem] of [
    [{ WORKERS: '4' }, 'CONSOLE is `on`, which needs WORKERS=1: each worker has records of its own requests only.'],
    [{ DOCS: 'OFF' }, 'CONSOLE is `on`, but DOCS is `off`: without the page nobody can see the data.'],
    [{ DOCS_PAGE: 'off' }, 'CONSOLE is `on`, but DOCS_PAGE is `off`: without the page nobody can see the data.'],
  ] as const) {
    it(`refuses ${JSON.stringify(env)} with the console`, () => {
      const secret = 's'.repeat(16);
      expect(problemsOf({ CONSOLE: 'on', CONSOLE_SECRET: secret, ...env })).to.deep.equal([problem]);
      expect(problemsOf({ CONSOLE: 'off', CONSOLE_SECRET: secret, ...env })).to.deep.equal([]);
    });
  }

  it('refuses two keys for tokens', () => {
    const both = { KILN_JWT_SECRET: 's'.repeat(32), KILN_JWT_JWKS_URL: 'https://x' };
    expect(problemsOf(both)).to.deep.equal([
      'KILN_JWT_JWKS_URL and KILN_JWT_SECRET are both set: only one of them can be used.',
    ]);
  });

  it('refuses a key for tokens without an issuer and an audience', () => {
    expect(problemsOf({ KILN_JWT_SECRET: 's'.repeat(32) })).to.deep.equal([
      'KILN_JWT_SECRET is set, but KILN_JWT_ISSUER is not: set it to the `iss` of the tokens that are meant for this application.',
      'KILN_JWT_SECRET is set, but KILN_JWT_AUDIENCE is not: set it to the `aud` of the tokens that are meant for this application.',
    ]);
  });

  it('says all that is wrong at once', () => {
    const problems = problemsOf({ DATABASE_URL: 'x', PORT: 'x', BODY_LIMIT: 'x', KILN_JWT_AUDIENCE: 'x' });
    expect(problems.map((problem) => problem.split(' ')[0])).to.deep.equal([
      'DATABASE_URL',
      'PORT',
      'BODY_LIMIT',
      'KILN_JWT_AUDIENCE',
    ]);
  });

  it('never shows a secret', () => {
    for (const url of ['hunter2', 'mysql://kiln:hunter2@db', 'postgres://kiln:hunter2#/@db:x/blog']) {
      const problems = problemsOf({ DATABASE_URL: url, KILN_JWT_SECRET: 'hunter2', ...PROVIDER });
      expect(problems).to.have.length(2);
      expect(problems.join()).to.not.include('hunter2');
    }
  });

  it('takes several hosts of a database, and names servers without the password', () => {
    const several = 'postgres://kiln:a,b@db-1:5433,[::1],db-3:5/blog?target_session_attrs=read-write';
    expect(configOf({ DATABASE_URL: several }).databaseUrl).to.equal(several);
    expect(addressesOf(several)).to.deep.equal(
      ['db-1:5433', '[::1]', 'db-3:5'].map(
        (host) => `postgres://kiln:a,b@${host}/blog?target_session_attrs=read-write`,
      ),
    );
    expect(serversOf(several)).to.equal('db-1:5433,[::1]:5432,db-3:5');
    expect(serversOf('postgres:///blog?host=/run/one&port=5433')).to.equal('/run/one:5433');
  });

  it('has a meaning for every variable, and reads every default', () => {
    for (const [name, { meaning, default: text, read }] of Object.entries<Variable<unknown>>(VARIABLES)) {
      expect(meaning, name).to.match(/\.$/);
      if (text !== undefined) expect(read(text).ok, name).to.equal(true);
    }
  });
});
