/** Definition, database and hooks in, routes out. */

import { accountEndpoints, meEndpoint, type PasswordAuth, passwordAuthOf } from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { hasFiles } from '../../compiler/definition/files.ts';
import { once } from '../../compiler/definition/memo.ts';
import { Catalogue } from '../../compiler/definition/sql/catalogue.ts';
import {
  type Job,
  jobEndpoint,
  jobKind,
  readsKind,
  type Schedule,
  scheduleEndpoint,
} from '../../compiler/definition/work.ts';
import { authenticatorOf } from '../auth/authenticator.ts';
import { outsideTokens } from '../auth/outside-tokens.ts';
import { sessionRoutes } from '../auth/session-routes.ts';
import { type IssuedToken, signInWithoutPassword } from '../auth/session-tokens.ts';
import type { Config, FilesConfig } from '../config/config.ts';
import { type DeliverOptions, ownCode } from '../deliver/own-code.ts';
import { hookFiles } from '../files/hook-files.ts';
import { openStore } from '../files/open-store.ts';
import type { FileStore } from '../files/store.ts';
import type { HookModules } from '../hooks/hook-code.ts';
import type { HookBegins } from '../hooks/hook-function.ts';
import { expiredRowsIn } from '../query/accounts.ts';
import type { Statement } from '../query/database.ts';
import type { Prepared } from '../query/prepared.ts';
import { accountMailRoutes, inviting, withToken } from './account-routes.ts';
import type { Application } from './attempt.ts';
import { endpointRoute, endpointTools } from './endpoint-route.ts';
import { type WorkRoute, workRoute } from './work-route.ts';

/** The parts of an application that are made of the others. */
type Made = 'models' | 'hooks' | 'outside' | 'files' | 'catalogue' | 'hookDatabases';

export interface ApplicationOptions
  extends Omit<Application, Made>,
    Pick<Config, 'hookTimeout' | 'tokenLifetime' | 'loginLimit' | 'trustedProxies' | 'jwt'> {
  readonly hooks: HookModules;
  readonly hookBegins?: HookBegins | undefined;
  /** Where the bytes of files are; null where nobody has said so. */
  readonly files?: FilesConfig | null;
  /** For the jobs that deliver something. */
  readonly deliver?: DeliverOptions;
}

type SignIn = (id: string) => Promise<IssuedToken | null>;

/** Something that sends statements to the database, and how people call it: `GET /api/posts`. */
export interface Sender {
  readonly name: string;
  /** Compiles it, which throws where the definition and the code of hooks do not fit. */
  statements(): readonly Sent[];
}

/** A statement, and how many values it binds. */
export interface Sent {
  readonly statement: Statement;
  readonly values: number;
}

export function applicationRoutes(options: ApplicationOptions) {
  const application = applicationOf(options);
  const { definition } = options;
  const auth = passwordAuthOf(definition);
  const accounts = auth ? accountEndpoints(auth, definition) : [];
  // A registration whose address is verified has a route of its own.
  const own = auth?.password.verify ? accounts.slice(1) : accounts;
  const endpoints = [...definition.endpoints, ...own].map((endpoint) => endpointRoute(endpoint, application));
  const sessions = auth ? sessionsOf(auth, application, options) : { routes: [], senders: [] };
  return {
    /** Issues a token for the account with this id, for development. Null where the application has no passwords. */
    signIn: auth && signInOf(auth, application, options),
    routes: [...endpoints, ...sessions.routes],
    liveLists: endpoints.filter(({ follow }) => follow !== undefined),
    // This is a function, because there may be thousands of endpoints, and only the check of the statements needs them.
    /** All that requests may send to the database, by what sends it. */
    senders: () => [
      ...endpoints.map(({ method, pattern, statements }) => senderOf(`${method} ${pattern}`, statements)),
      ...sessions.senders,
      ...jobRoutesOf(application).flatMap(({ job, actions, onFailure }) =>
        [actions, onFailure].flatMap((route) => (route ? [senderOf(`job ${job.name}`, route.statements)] : [])),
      ),
      ...scheduleRoutesOf(application).map(({ schedule, route }) =>
        senderOf(`schedule ${schedule.name}`, route.statements),
      ),
      expirySender(definition),
    ],
  };
}

/** What a job does, and what is done when it has failed. */
export interface JobRoutes {
  readonly job: Job;
  /** The kind under which this release stores it. */
  readonly kind: string;
  readonly reads: (kind: string) => boolean;
  readonly actions: WorkRoute;
  readonly onFailure: WorkRoute | null;
}

/** The jobs of the definition. Each is compiled when it is first run. */
export function jobRoutes(options: ApplicationOptions): readonly JobRoutes[] {
  return jobRoutesOf(applicationOf(options), options.deliver?.sendMail !== undefined);
}

function jobRoutesOf(application: Application, sendsMails = false): readonly JobRoutes[] {
  const { definition } = application;
  return (definition.jobs ?? []).map((job) => ({
    job,
    kind: jobKind(job, definition),
    reads: (kind) => readsKind(job, kind, definition),
    actions: withToken(workRoute(jobEndpoint(job), job, application), job, application, sendsMails),
    onFailure: job.onFailure.length === 0 ? null : workRoute(jobEndpoint(job, 'onFailure'), job, application),
  }));
}

/** What a schedule does when it is due. */
export interface ScheduleRoute {
  readonly schedule: Schedule;
  readonly route: WorkRoute;
}

export function scheduleRoutes(options: ApplicationOptions): readonly ScheduleRoute[] {
  return scheduleRoutesOf(applicationOf(options));
}

/** In seconds. Jobs are only stored, so it is never reached. */
const SCHEDULE_TIMEOUT = 30;

function scheduleRoutesOf(application: Application): readonly ScheduleRoute[] {
  const { schedules = [] } = application.definition;
  const times = { timeout: SCHEDULE_TIMEOUT };
  return schedules.map((schedule) => ({ schedule, route: workRoute(scheduleEndpoint(schedule), times, application) }));
}

function senderOf(name: string, statements: () => readonly Prepared[]): Sender {
  return { name, statements: () => statements().flatMap(formsOf) };
}

/** Lists the forms of a statement, including the one in which values that are out of range are null. */
function formsOf(prepared: Prepared): readonly Sent[] {
  const forms = prepared.guard ? [prepared, prepared.guard.guarded()] : [prepared];
  return forms.map(({ statement, parameters }) => ({ statement, values: parameters.length }));
}

function expirySender(definition: Definition): Sender {
  const sent = expiredRowsIn(definition).map((statement) => ({ statement, values: 0 }));
  return { name: 'the removal of expired rows', statements: () => sent };
}

function applicationOf(options: ApplicationOptions): Application {
  const { definition, database, hooks, hookTimeout, jwt } = options;
  const store = () => storeOf(options.files);
  const removeFiles = async (files: string) => {
    const ids = files.replace(/^uploads\//, '');
    await (await store()).remove(ids.split(' '), ids === files ? 'all' : 'upload');
  };
  const files = hasFiles(definition) ? hookFiles(store) : undefined;
  return {
    ...options,
    models: new Map(definition.models.map((model) => [model.name, model])),
    hooks: {
      modules: { ...hooks, ...ownCode({ ...options.deliver, removeFiles }) },
      timeout: hookTimeout,
      begins: options.hookBegins,
    },
    outside: jwt && outsideTokens(jwt),
    files: { store, connection: () => database.forRequest(), trustedProxies: options.trustedProxies },
    catalogue: new Catalogue(definition),
    hookDatabases: loadForHooks(hooks).then((loaded) => loaded?.hookDatabases(definition, files) ?? null),
  };
}

async function storeOf(files: FilesConfig | null | undefined): Promise<FileStore> {
  if (!files) throw new Error('there is no store for files: set FILES_URL');
  return openStore(files);
}

/** Express, Objection and Knex take time to load, and memory: an application without code of its own does without them. */
export async function loadForHooks(hooks: HookModules) {
  if (Object.keys(hooks).length === 0) return null;
  await import('express');
  return import('../hooks/objection-models.ts');
}

function sessionsOf(auth: PasswordAuth, application: Application, options: ApplicationOptions) {
  const { definition, outside } = application;
  const { environment, statements } = endpointTools(meEndpoint(auth, definition), application);
  const endpoint = { authReads: [] };
  const authenticator = authenticatorOf({ definition, endpoint, needsProfile: false, outside, statements });
  const tools = { ...options, auth, statements, environment };
  const mails = accountMailRoutes({ ...tools, application });
  const routes = [...sessionRoutes({ ...tools, authenticator }), ...mails.routes];
  // They share what was made for them.
  const name = routes.map(({ method, pattern }) => `${method} ${pattern}`).join(', ');
  return {
    routes,
    senders: [senderOf(name, () => [...statements.all, ...mails.works.flatMap((work) => work.statements())])],
  };
}

/** Makes the account of an invitation and stores its mail. */
export function invitationOf(
  auth: PasswordAuth,
  invite: NonNullable<PasswordAuth['password']['invite']>,
  options: ApplicationOptions,
) {
  const application = applicationOf(options);
  const { environment, statements } = endpointTools(meEndpoint(auth, options.definition), application);
  return inviting({ ...options, auth, statements, environment, application }, invite);
}

/** Its statements are made when somebody signs in that way, which no server in production lets them do. */
function signInOf(auth: PasswordAuth, application: Application, options: ApplicationOptions): SignIn {
  const signIn = once(() => {
    const { statements } = endpointTools(meEndpoint(auth, options.definition), application);
    return signInWithoutPassword({ ...options, auth, statements });
  });
  return (id) => signIn()(id);
}
