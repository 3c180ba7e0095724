/** Many machines with Kubernetes. Every release is a migration that runs to its end, then a rollout. */
import {
  autoscalerText,
  deploymentText,
  disruptionText,
  jobText,
  secretText,
  serviceText,
} from './kubernetes-objects.ts';
import type { NewProject, ProjectFile } from './project-file.ts';

export function kubernetesFiles({ name, variables }: NewProject): readonly ProjectFile[] {
  const application = [deploymentText(name), serviceText(name), disruptionText(name), autoscalerText(name)];
  return [
    { path: 'kubernetes/migrate.yaml', text: jobText(name) },
    { path: 'kubernetes/app.yaml', text: application.join('---\n') },
    // Not `.yaml`, so that `kubectl apply -f kubernetes` never puts it in place of the real one.
    { path: 'kubernetes/secret.yaml.example', text: secretText(name, variables) },
    { path: 'kubernetes/deploy.sh', text: deployText(name), isExecutable: true },
  ];
}

function deployText(name: string): string {
  return `#!/bin/sh
# Brings an image to the cluster: first the migration, then, when it is done, the rollout.
#
#   kubernetes/deploy.sh registry.example.com/${name}:3f2a91c
set -eu
image=\${1:?usage: kubernetes/deploy.sh <image>}
cd "$(dirname "$0")"

with_image() {
  sed "s|image: ${name}:main|image: $image|" "$1"
}

# A job cannot be changed, so the one of the last release makes room.
kubectl delete job ${name}-migrate --ignore-not-found --wait
with_image migrate.yaml | kubectl apply -f -
while :; do
  case $(kubectl get job ${name}-migrate -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') in
    *Failed*)
      kubectl logs job/${name}-migrate >&2
      echo "The migration failed. What was running still is." >&2
      exit 1
      ;;
    *Complete*) break ;;
  esac
  sleep 1
done

with_image app.yaml | kubectl apply -f -
kubectl rollout status deployment/${name}
`;
}
