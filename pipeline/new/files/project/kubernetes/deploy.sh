#!/bin/sh
# Deploys an image to the cluster: first the migration, then the rollout. To roll back, deploy the previous image.
#
#   kubernetes/deploy.sh registry.example.com/my-app:3f2a91c
set -eu
image=${1:?usage: kubernetes/deploy.sh <image>}
cd "$(dirname "$0")"

with_image() {
  sed "s|image: my-app:main|image: $image|" "$1"
}

stop() {
  echo "$1" >&2
  echo "The application was not changed: what was running still is." >&2
  exit 1
}

# What keeps the container of the migration from starting, as "reason: message"; empty while nothing does.
waiting() {
  kubectl get pods --selector job-name=my-app-migrate -o 'jsonpath={range .items[*].status.containerStatuses[*]}{.state.waiting.reason}: {.state.waiting.message}{"\n"}{end}'
}

# A job cannot be changed, so the one of the last release is deleted first, with its pods.
kubectl delete job my-app-migrate --ignore-not-found --cascade=foreground --wait
with_image migrate.yaml | kubectl apply -f -
while :; do
  conditions=$(kubectl get job my-app-migrate -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') ||
    stop "The migration cannot be watched any more. It may still run: kubectl get job my-app-migrate"
  case $conditions in
    *Failed*)
      kubectl logs --selector job-name=my-app-migrate --tail=-1 >&2 || true
      kubectl get job my-app-migrate -o 'jsonpath={range .status.conditions[?(@.type=="Failed")]}{.reason}: {.message}{"\n"}{end}' >&2 || true
      stop "The migration failed."
      ;;
    *Complete*) break ;;
  esac
  # These do not end by themselves. The job is removed, or it would run when the reason is gone.
  problem=$(waiting | grep -E '^(ImagePullBackOff|InvalidImageName|ErrImageNeverPull|CreateContainerConfigError):' | head -n 1) || true
  if [ -n "$problem" ]; then
    kubectl delete job my-app-migrate --ignore-not-found --wait=false
    stop "The migration of $image cannot start. $problem"
  fi
  sleep 1
done

with_image app.yaml | kubectl apply -f -
if ! kubectl rollout status deployment/my-app; then
  kubectl get pods --selector app.kubernetes.io/name=my-app,app.kubernetes.io/component=app >&2 || true
  echo "The rollout of $image did not finish. The pods of the previous release still serve." >&2
  echo "To go back to it: kubernetes/deploy.sh <its image>" >&2
  exit 1
fi
