/** The files that run an application elsewhere, against the published schemas and against what Kiln promises of them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { EXIT } from '../../../pipeline/cli/terminal.ts';
import {
  applicationOf,
  projectFiles,
  TEMPLATES,
  type Template,
  writeProject,
} from '../../../pipeline/new/project-files.ts';
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
    expect(services.migrate.depends_on.postgres).to.deep.equal({ condition: 'service_healthy' });
    expect(services.migrate.command).to.deep.equal(['migrate']);
    expect(services.migrate.image).to.equal(services.app.image);
  });

  it('gives the application nothing to write to but its files, no rights, and no password in the file', () => {
    const { services } = parse(textOf('compose.yaml'), { merge: true });
    for (const service of [services.app, services.migrate]) {
      expect(service).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
      expect(service.environment.DATABASE_URL).to.include(':$' + '{POSTGRES_PASSWORD}@');
    }
    expect(textOf('.env.example')).to.match(/^POSTGRES_PASSWORD=$/m);
    expect(services.app.volumes).to.deep.equal(services.files.volumes).and.to.deep.equal(['files:/var/files']);
    expect(services.app.environment.FILES_URL).to.equal('$' + '{FILES_URL:-file:///var/files}');
    expect(services.migrate.depends_on.files).to.deep.equal({ condition: 'service_completed_successfully' });
  });

  it('keeps a bounded log of every container', () => {
    const { services } = parse(textOf('compose.yaml'), { merge: true });
    const logging = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } };
    for (const [name, service] of Object.entries(services)) expect(service, name).to.deep.include({ logging });
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

const MANIFESTS = ['network.yaml', 'migrate.yaml', 'app.yaml', 'secret.yaml.example'];

/** `app.yaml` as its comment says to change it for the autoscaler. */
const withAutoscaler = () =>
  textOf('kubernetes/app.yaml')
    .replace(/^ {2}replicas: .*\n/m, '')
    .replace(/^# ---\n(#.*\n)+$/m, (lines) => lines.replace(/^# /gm, ''));

describe('the Kubernetes manifests of a new project', () => {
  const objects = MANIFESTS.flatMap((path) => objectsIn(textOf(`kubernetes/${path}`)));
  const ofKind = (kind: string) => objects.find((object) => object.kind === kind);

  let mistakes: Check;
  before(() => {
    mistakes = kubernetesCheck();
  });

  it('keep to the API of Kubernetes', () => {
    expect(objects.map(({ kind }) => kind)).to.deep.equal([
      'NetworkPolicy',
      'NetworkPolicy',
      'Job',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'Secret',
      'Secret',
    ]);
    const secrets = objectsIn(textOf('kubernetes/secret.yaml.example', 'shop'));
    for (const object of [...objects, ...secrets]) expect(mistakes(object), object.kind).to.deep.equal([]);
  });

  it('would be refused with a field that Kubernetes does not know, or without one that it needs', () => {
    const refused = (from: string, to: string) =>
      objectsIn(textOf('kubernetes/app.yaml').replaceAll(from, to)).flatMap((object) => mistakes(object));
    expect(refused('readOnlyRootFilesystem', 'readOnlyRootFileSystem')).to.have.length(1);
    expect(refused('      port: 80\n', '')).to.have.length(1);
    expect(refused('policy/v1', 'policy/v1beta1')).to.have.length(1);
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
    const autoscaler = objectsIn(withAutoscaler()).find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    for (const replicas of [spec.replicas, autoscaler.spec.maxReplicas]) {
      const used = (replicas + 1 + 1) * (Number(VARIABLES.DATABASE_POOL_MAX.default) + 2);
      expect(textOf('kubernetes/app.yaml')).to.match(new RegExp(`\\(${replicas} \\+ 1 \\+ 1\\) \\* 12 = ${used}\\b`));
      expect(used + MIGRATION + SUPERUSERS).to.be.below(100);
    }
  });

  it('have an autoscaler as a comment, which then decides on the number of pods alone', () => {
    const scaled = objectsIn(withAutoscaler());
    expect(scaled.at(-1).kind).to.equal('HorizontalPodAutoscaler');
    for (const object of scaled) expect(mistakes(object), object.kind).to.deep.equal([]);
    expect(scaled.at(-1).spec.scaleTargetRef.name).to.equal(ofKind('Deployment').metadata.name);
    expect(scaled[0].spec).not.to.have.property('replicas');
  });

  it('give the migration and the servers secrets of their own, for roles of their own', () => {
    const [migrate, serve] = [ofKind('Job'), ofKind('Deployment')].map(
      ({ spec }) => spec.template.spec.containers[0].envFrom[0].secretRef.name,
    );
    expect([migrate, serve]).to.deep.equal(['my-app-migrate', 'my-app']);
    const secrets = objectsIn(textOf('kubernetes/secret.yaml.example', 'shop'));
    expect(secrets.map(({ metadata }) => metadata.name)).to.deep.equal([migrate, serve]);
    expect(Object.keys(secrets[0].stringData)).to.deep.equal(['DATABASE_URL']);
    expect(secrets[1].stringData).to.include.keys('DATABASE_URL', 'KILN_JWT_ISSUER');
  });

  it('let the pods reach names, Postgres and HTTPS, and nobody reach the migration', () => {
    const [both, app] = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
    const labels = ofKind('Deployment').spec.template.metadata.labels;
    expect(app.podSelector.matchLabels).to.deep.equal(labels);
    for (const kind of ['Job', 'Deployment'])
      expect(ofKind(kind).spec.template.metadata.labels).to.include(both.podSelector.matchLabels);
    for (const policy of [both, app]) expect(policy.policyTypes).to.deep.equal(['Ingress', 'Egress']);
    expect(both).not.to.have.property('ingress');
    const portsOf = (rules: readonly { readonly ports: readonly { readonly port: unknown }[] }[]) =>
      rules.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect([portsOf(both.egress), portsOf(app.egress)]).to.deep.equal([[53, 53, 5432], [443]]);
    const named = ofKind('Deployment').spec.template.spec.containers[0].ports;
    expect(portsOf(app.ingress)).to.deep.equal(named.map(({ name }: { name: string }) => name));
    expect(app.ingress.at(-1).from).to.deep.equal([{ namespaceSelector: {} }]);
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
      for (const { stringData } of objectsIn(textOf('kubernetes/secret.yaml.example', template)))
        expect(Object.values(stringData).join('')).to.equal('');
    }
  });
});

/** Stands in for `kubectl`: writes down what it is told, and says what became of the migration and of the rollout. */
const KUBECTL = `#!/bin/sh
echo "$*" >>"$KUBECTL_LOG"
case "$1 $2" in
  'apply -f') [ "$3" != - ] || grep -E '^kind|  image:' >>"$KUBECTL_LOG" ;;
  'get job') echo "$KUBECTL_JOB" ;;
  'get pods')
    case $* in
      *imageID*) echo "$KUBECTL_RAN" ;;
      *PodScheduled*status*) echo "$KUBECTL_SCHEDULED" ;;
      *PodScheduled*message*) [ "$KUBECTL_SCHEDULED" != False ] || echo '0/3 nodes are available' ;;
      *) echo "$KUBECTL_PODS" ;;
    esac ;;
  'get events') echo 'exceeded quota: pods' ;;
  logs*) echo 'the words of migrate'; exit "$KUBECTL_LOGS" ;;
  rollout*) exit "$KUBECTL_ROLLOUT" ;;
esac
`;

interface Cluster {
  /** The conditions of the job. */
  readonly job: string;
  /** Why the container of the migration waits. */
  readonly pods?: string;
  /** Whether a node has taken its pod; empty where there is no pod. */
  readonly scheduled?: 'True' | 'False' | '';
  /** The image that it ran, as its pod says. */
  readonly ran?: string;
  /** Exit codes. */
  readonly logs?: number;
  readonly rollout?: number;
}

describe('kubernetes/deploy.sh of a new project', () => {
  const ID = `sha256:${'7c'.repeat(32)}`;

  function deployed(cluster: Cluster, image = 'r.example/a:1') {
    const { job, pods = ': ', scheduled = 'True', ran = `r.example/a@${ID}`, logs = 0, rollout = 0 } = cluster;
    const folder = mkdtempSync(join(tmpdir(), 'kiln-deploy-'));
    try {
      const application = applicationOf('starter');
      if (typeof application === 'string') throw new Error(application);
      writeProject(folder, projectFiles('my-app', application, KILN));
      addFiles(folder, { 'bin/kubectl': KUBECTL });
      spawnSync('chmod', ['+x', join(folder, 'bin/kubectl')]);
      const KUBECTL_LOG = join(folder, 'log');
      const said = {
        KUBECTL_JOB: job,
        KUBECTL_PODS: pods,
        KUBECTL_SCHEDULED: scheduled,
        KUBECTL_RAN: ran,
        SCHEDULE_SECONDS: '0',
        KUBECTL_LOGS: String(logs),
        KUBECTL_ROLLOUT: String(rollout),
      };
      const env = { PATH: `${folder}/bin:${process.env.PATH}`, KUBECTL_LOG, ...said };
      const script = join(folder, 'kubernetes/deploy.sh');
      const { status, stderr } = spawnSync(script, [image], { env, encoding: 'utf8' });
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
      'apply',
      'delete',
      'apply',
      'kind: Job',
      'image: r.example/a:1',
      'get',
      'get',
      'apply',
      'kind: Deployment',
      `image: r.example/a@${ID}`,
      'kind: Service',
      'kind: PodDisruptionBudget',
      'rollout',
    ]);
    expect(told).to.match(/^apply -f network\.yaml\n/);
  });

  for (const [image, ran, rolledOut] of [
    ['r.example:5000/x/a:1', `docker-pullable://r.example:5000/x/a@${ID}`, `r.example:5000/x/a@${ID}`],
    ['a:1', `docker.io/library/a@${ID}`, `a@${ID}`],
    [`r.example/a@${ID}`, `r.example/other@${ID}`, `r.example/a@${ID}`],
    ['r.example/a:1', `docker.io/library/import-2026-11-17@${ID}`, 'r.example/a:1'],
    ['a:1', ID, 'a:1'],
  ] as const) {
    it(`rolls out ${rolledOut.replace(ID, 'the digest')} for ${image.replace(ID, 'the digest')}, which ran as ${ran.replace(ID, 'the digest')}`, () => {
      const { code, said, told } = deployed({ job: 'Complete', ran }, image);
      expect(code, said).to.equal(0);
      expect(told.match(/image: .*/g)).to.deep.equal([`image: ${image}`, `image: ${rolledOut}`]);
      expect(said.includes('knows no digest')).to.equal(!rolledOut.includes('@'));
    });
  }

  for (const [scheduled, why] of [
    ['False', '0/3 nodes are available'],
    ['', 'exceeded quota: pods'],
  ] as const) {
    it(`ends where no node takes the migration in time: ${why}`, () => {
      const { code, said, told } = deployed({ job: '', scheduled });
      expect(code).to.equal(1);
      expect(told).not.to.include('Deployment');
      expect(told.match(/^delete job my-app-migrate/gm)).to.have.length(2);
      expect(said).to.include(
        `cannot start. No node has taken it in 0 seconds. ${why}\nThe application was not changed`,
      );
    });
  }

  it('waits two minutes for a node, where nothing else is set', () => {
    expect(textOf('kubernetes/deploy.sh').match(/SCHEDULE_SECONDS:-(\d+)/g)).to.deep.equal([
      'SCHEDULE_SECONDS:-120',
      'SCHEDULE_SECONDS:-120',
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
