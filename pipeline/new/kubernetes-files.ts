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
# Brings an image to the cluster: first the migration, then, when it is done, the rollout. The image of the release before
# is the way back.
#
#   kubernetes/deploy.sh registry.example.com/${name}:3f2a91c
set -eu
image=\${1:?usage: kubernetes/deploy.sh <image>}
cd "$(dirname "$0")"

with_image() {
  sed "s|image: ${name}:main|image: $image|" "$1"
}

stop() {
  echo "$1" >&2
  echo "The application was not changed: what was running still is." >&2
  exit 1
}

# What keeps the container of the migration from starting, as "reason: message"; empty while nothing does.
waiting() {
  kubectl get pods --selector job-name=${name}-migrate -o 'jsonpath={range .items[*].status.containerStatuses[*]}{.state.waiting.reason}: {.state.waiting.message}{"\\n"}{end}'
}

# A job cannot be changed, so the one of the last release makes room, with its pods.
kubectl delete job ${name}-migrate --ignore-not-found --cascade=foreground --wait
with_image migrate.yaml | kubectl apply -f -
while :; do
  conditions=$(kubectl get job ${name}-migrate -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') ||
    stop "The migration cannot be watched any more. It may still run: kubectl get job ${name}-migrate"
  case $conditions in
    *Failed*)
      kubectl logs --selector job-name=${name}-migrate --tail=-1 >&2 || true
      kubectl get job ${name}-migrate -o 'jsonpath={range .status.conditions[?(@.type=="Failed")]}{.reason}: {.message}{"\\n"}{end}' >&2 || true
      stop "The migration failed."
      ;;
    *Complete*) break ;;
  esac
  # These do not end by themselves. The job is removed, or it would run when the reason is gone.
  problem=$(waiting | grep -E '^(ImagePullBackOff|InvalidImageName|ErrImageNeverPull|CreateContainerConfigError):' | head -n 1) || true
  if [ -n "$problem" ]; then
    kubectl delete job ${name}-migrate --ignore-not-found --wait=false
    stop "The migration of $image cannot start. $problem"
  fi
  sleep 1
done

with_image app.yaml | kubectl apply -f -
if ! kubectl rollout status deployment/${name}; then
  kubectl get pods --selector app.kubernetes.io/name=${name},app.kubernetes.io/component=app >&2 || true
  echo "The rollout of $image did not come to its end. The pods of the release before still serve." >&2
  echo "To go back to it: kubernetes/deploy.sh <its image>" >&2
  exit 1
fi
`;
}
