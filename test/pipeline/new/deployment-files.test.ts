/** The files that run an application elsewhere, against the published schemas and against what Kiln promises of them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { EXIT } from '../../../pipeline/cli/exit-code.ts';
import { projectFiles } from '../../../pipeline/new/project-files.ts';
import { applicationOf, TEMPLATES, type Template } from '../../../pipeline/new/templates.ts';
import { writeProject } from '../../../pipeline/new/write-project.ts';
import { VARIABLES } from '../../../runtime/config/variables.ts';
import { addFiles } from '../project-folder.ts';
import { type Check, composeCheck, kubernetesCheck } from './schemas.ts';

const KILN = { spec: 'file:kiln.tgz', allowScripts: {} };

function filesOf(template: Template): ReadonlyMap<string, string> {
  const application = applicationOf(template);
  if (typeof application === 'string') throw new Error(application);
  return new Map(projectFiles('my-app', application, KILN).map(({ path, text }) => [path, String(text)]));
}

const textOf = (path: string, template: Template = 'starter') => filesOf(template).get(path) ?? '';

describe('compose.yaml of a new project', () => {
  let mistakes: Check;
  before(() => {
    mistakes = composeCheck();
  });

  for (const template of TEMPLATES) {
    it(`keeps to the specification of Compose (${template})`, () => {
      expect(mistakes(parse(textOf('compose.yaml', template), { merge: true }))).to.deep.equal([]);
    });
  }

  it('would be refused with a word that Compose does not know', () => {
    const text = textOf('compose.yaml').replace('read_only:', 'readonly:');
    expect(mistakes(parse(text, { merge: true }))).not.to.deep.equal([]);
  });

  it('serves once the migration has come to its end, and that once Postgres is healthy', () => {
    const { services } = parse(textOf('compose.yaml'), { merge: true });
    expect(services.app.depends_on).to.deep.equal({ migrate: { condition: 'service_completed_successfully' } });
    expect(services.migrate.depends_on).to.deep.equal({ postgres: { condition: 'service_healthy' } });
    expect(services.migrate.command).to.deep.equal(['migrate']);
    expect(services.migrate.image).to.equal(services.app.image);
  });

  it('gives the application nothing to write to, no rights, and no password in the file', () => {
    const { services } = parse(textOf('compose.yaml'), { merge: true });
    for (const service of [services.app, services.migrate]) {
      expect(service).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
      expect(service.environment.DATABASE_URL).to.include(':$' + '{POSTGRES_PASSWORD}@');
    }
    expect(textOf('.env.example')).to.match(/^POSTGRES_PASSWORD=$/m);
  });

  it('has a line in .env.example for every variable that has no default', () => {
    for (const template of TEMPLATES) {
      const named = textOf('compose.yaml', template).matchAll(/\$\{([A-Z_]+)(?::-\}|:\?)/g);
      const example = textOf('.env.example', template);
      for (const [, variable] of named) expect(example).to.match(new RegExp(`^${variable}=`, 'm'));
    }
  });
});

describe('the containers in compose.yaml of a new project', () => {
  const { services } = parse(textOf('compose.yaml'), { merge: true });

  it('have the time that the server takes to stop', () => {
    expect(parseFloat(services.app.stop_grace_period)).to.be.greaterThan(5 + 25);
  });

  it('have a proxy only for those who ask for it', () => {
    expect(services.proxy.profiles).to.deep.equal(['proxy']);
    expect(services.app).not.to.have.property('profiles');
  });

  it('have it with the lines of .env.example', () => {
    const lines = textOf('.env.example').match(/^# [A-Z_]+=.*$/gm);
    expect(lines).to.deep.equal([
      '# COMPOSE_PROFILES=proxy',
      '# PROXY_PORT=3000',
      '# PORT=127.0.0.1:',
      '# TRUST_PROXY=1',
    ]);
    expect(services.proxy.ports).to.deep.equal(['$' + '{PROXY_PORT:-3000}:3000']);
    expect(services.app.ports).to.deep.equal(['$' + '{PORT:-3000}:3000']);
    expect(services.app.environment.TRUST_PROXY).to.equal('$' + '{TRUST_PROXY:-0}');
  });
});

const objectsIn = (text: string) => parseAllDocuments(text).map((document) => document.toJS());

/** Connections that are not the application's. */
const MIGRATION = 2;
const SUPERUSERS = 3;

const MANIFESTS = ['kubernetes/migrate.yaml', 'kubernetes/app.yaml', 'kubernetes/secret.yaml.example'];

describe('the Kubernetes manifests of a new project', () => {
  const objects = MANIFESTS.flatMap((path) => objectsIn(textOf(path)));
  const ofKind = (kind: string) => objects.find((object) => object.kind === kind);

  let mistakes: Check;
  before(() => {
    mistakes = kubernetesCheck();
  });

  it('keep to the API of Kubernetes', () => {
    expect(objects.map(({ kind }) => kind)).to.deep.equal([
      'Job',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'HorizontalPodAutoscaler',
      'Secret',
    ]);
    for (const object of objects) expect(mistakes(object), object.kind).to.deep.equal([]);
    const [secret] = objectsIn(textOf('kubernetes/secret.yaml.example', 'shop'));
    expect(mistakes(secret)).to.deep.equal([]);
  });

  it('would be refused with a field that Kubernetes does not know, or without one that it needs', () => {
    const refused = (from: string, to: string) =>
      objectsIn(textOf('kubernetes/app.yaml').replaceAll(from, to)).flatMap((object) => mistakes(object));
    expect(refused('readOnlyRootFilesystem', 'readOnlyRootFileSystem')).to.have.length(1);
    expect(refused('      port: 80\n', '')).to.have.length(1);
    expect(refused('autoscaling/v2', 'autoscaling/v2beta2')).to.have.length(1);
  });

  it('run both pods as a number, without rights and on a read-only file system', () => {
    for (const { spec } of [ofKind('Job').spec.template, ofKind('Deployment').spec.template]) {
      expect(spec.automountServiceAccountToken).to.equal(false);
      expect(spec.securityContext).to.deep.equal({
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.containers[0].securityContext).to.deep.equal({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.containers[0].resources).to.have.all.keys('requests', 'limits');
    }
  });

  it('ask /healthz whether it lives and /readyz whether it may be sent requests', () => {
    const [app] = ofKind('Deployment').spec.template.spec.containers;
    expect(app.startupProbe.httpGet).to.deep.equal({ path: '/healthz', port: 'http' });
    expect(app.livenessProbe.httpGet).to.deep.equal({ path: '/healthz', port: 'http' });
    expect(app.readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'http' });
  });

  it('need fewer connections in a rollout than Postgres has by default', () => {
    const { spec } = ofKind('Deployment');
    // A pod is stopped only when the one before it has ended, so that there is never a second one that is stopping.
    expect(spec.minReadySeconds).to.be.at.least(spec.template.spec.terminationGracePeriodSeconds);
    expect(spec.strategy.rollingUpdate).to.deep.equal({ maxSurge: 1, maxUnavailable: 0 });
    const pods = ofKind('HorizontalPodAutoscaler').spec.maxReplicas + 1 + 1;
    const used = pods * (Number(VARIABLES.DATABASE_POOL_MAX.default) + 2);
    expect(textOf('kubernetes/app.yaml')).to.include(`(5 + 1 + 1) * 12 = ${used}.`);
    expect(used + MIGRATION + SUPERUSERS).to.be.below(100);
  });

  it('give a pod the time that the server takes to stop', () => {
    const [grace, timeout] = [VARIABLES.SHUTDOWN_GRACE.default, VARIABLES.SHUTDOWN_TIMEOUT.default].map(parseFloat);
    const { terminationGracePeriodSeconds, containers } = ofKind('Deployment').spec.template.spec;
    expect([grace, timeout]).to.deep.equal([5, 25]);
    expect(terminationGracePeriodSeconds).to.be.greaterThan(5 + 25);
    expect(containers[0]).not.to.have.property('lifecycle');
  });

  it('end the migration some time, and do not repeat one that was refused', () => {
    const { spec } = ofKind('Job');
    expect(spec.activeDeadlineSeconds).to.equal(3600);
    expect(spec.template.spec.restartPolicy).to.equal('Never');
    const [refused, disrupted] = spec.podFailurePolicy.rules;
    expect(refused).to.deep.equal({
      action: 'FailJob',
      onExitCodes: { containerName: spec.template.spec.containers[0].name, operator: 'In', values: [EXIT.refused] },
    });
    expect(disrupted.action).to.equal('Ignore');
  });

  it('mean the same pods', () => {
    const { labels } = ofKind('Deployment').spec.template.metadata;
    expect(ofKind('Deployment').spec.selector.matchLabels).to.deep.equal(labels);
    expect(ofKind('Service').spec.selector).to.deep.equal(labels);
    expect(ofKind('PodDisruptionBudget').spec.selector.matchLabels).to.deep.equal(labels);
    expect(ofKind('HorizontalPodAutoscaler').spec.scaleTargetRef.name).to.equal(ofKind('Deployment').metadata.name);
  });

  it('trust no proxy, because there is none in them, and say how to', () => {
    const [app] = ofKind('Deployment').spec.template.spec.containers;
    expect(app.env.map(({ name }: { name: string }) => name)).to.deep.equal(['PORT', 'METRICS_PORT']);
    const text = textOf('kubernetes/app.yaml')
      .replace('# - name: TRUST_PROXY', '- name: TRUST_PROXY')
      .replace("#   value: '1'", "  value: '1'");
    const [deployment] = objectsIn(text);
    expect(deployment.spec.template.spec.containers[0].env[2]).to.deep.equal({ name: 'TRUST_PROXY', value: '1' });
    expect(mistakes(deployment)).to.deep.equal([]);
  });

  it('hold no secret', () => {
    for (const template of TEMPLATES) {
      const [secret] = objectsIn(textOf('kubernetes/secret.yaml.example', template));
      expect(Object.values(secret.stringData).join('')).to.equal('');
    }
  });
});

/** Stands in for `kubectl`: writes down what it is told, and says what became of the migration and of the rollout. */
const KUBECTL = `#!/bin/sh
echo "$*" >>"$KUBECTL_LOG"
case "$1 $2" in
  apply*) grep -E '^kind|  image:' >>"$KUBECTL_LOG" ;;
  'get job') echo "$KUBECTL_JOB" ;;
  'get pods') echo "$KUBECTL_PODS" ;;
  logs*) echo 'the words of migrate'; exit "$KUBECTL_LOGS" ;;
  rollout*) exit "$KUBECTL_ROLLOUT" ;;
esac
`;

interface Cluster {
  /** The conditions of the job. */
  readonly job: string;
  /** Why the container of the migration waits. */
  readonly pods?: string;
  /** Exit codes. */
  readonly logs?: number;
  readonly rollout?: number;
}

describe('kubernetes/deploy.sh of a new project', () => {
  function deployed({ job, pods = ': ', logs = 0, rollout = 0 }: Cluster) {
    const folder = mkdtempSync(join(tmpdir(), 'kiln-deploy-'));
    try {
      const application = applicationOf('starter');
      if (typeof application === 'string') throw new Error(application);
      writeProject(folder, projectFiles('my-app', application, KILN));
      addFiles(folder, { 'bin/kubectl': KUBECTL });
      spawnSync('chmod', ['+x', join(folder, 'bin/kubectl')]);
      const KUBECTL_LOG = join(folder, 'log');
      const cluster = {
        KUBECTL_JOB: job,
        KUBECTL_PODS: pods,
        KUBECTL_LOGS: String(logs),
        KUBECTL_ROLLOUT: String(rollout),
      };
      const env = { PATH: `${folder}/bin:${process.env.PATH}`, KUBECTL_LOG, ...cluster };
      const script = join(folder, 'kubernetes/deploy.sh');
      const { status, stderr } = spawnSync(script, ['r.example/a:1'], { env, encoding: 'utf8', timeout: 30_000 });
      return { code: status, said: stderr, told: readFileSync(KUBECTL_LOG, 'utf8') };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('migrates, waits, and only then rolls out, with the image that was given', () => {
    const { code, told } = deployed({ job: 'SuccessCriteriaMet Complete' });
    expect(code).to.equal(0);
    const steps = told.match(/^(delete|apply|get|rollout|kind: \w+|.*image: .*)/gm)?.map((step) => step.trim());
    expect(steps).to.deep.equal([
      'delete',
      'apply',
      'kind: Job',
      'image: r.example/a:1',
      'get',
      'apply',
      'kind: Deployment',
      'image: r.example/a:1',
      'kind: Service',
      'kind: PodDisruptionBudget',
      'kind: HorizontalPodAutoscaler',
      'rollout',
    ]);
  });

  for (const logs of [0, 1]) {
    it(`leaves what is running alone where the migration fails, ${logs === 0 ? 'and shows why' : 'its log or not'}`, () => {
      const { code, said, told } = deployed({ job: 'FailureTarget Failed', logs });
      expect(code).to.equal(1);
      expect(told).not.to.include('Deployment');
      expect(said).to.include('the words of migrate\n');
      expect(said).to.match(/The migration failed\.\nThe application was not changed/);
    });
  }

  for (const reason of ['ImagePullBackOff', 'InvalidImageName', 'CreateContainerConfigError']) {
    it(`ends where the migration cannot start: ${reason}`, () => {
      const { code, said, told } = deployed({ job: '', pods: `${reason}: no such thing` });
      expect(code).to.equal(1);
      expect(told).not.to.include('Deployment');
      expect(told.match(/^delete job my-app-migrate/gm)).to.have.length(2);
      expect(said).to.include(`The migration of r.example/a:1 cannot start. ${reason}: no such thing\n`);
    });
  }

  it('says where the rollout does not come to its end, and how to go back', () => {
    const { code, said } = deployed({ job: 'Complete', rollout: 1 });
    expect(code).to.equal(1);
    expect(said).to.include('The pods of the previous release still serve.\n');
    expect(said).to.include('kubernetes/deploy.sh <its image>');
  });
});
