#!/bin/sh
# Deploys an image to the cluster: first the migration, then the rollout. To roll back, deploy the previous image.
#
#   kubernetes/deploy.sh registry.example.com/my-app:3f2a91c
#
# A tag can be moved, so the pods run the image by its digest: the one that you give, or the one that the migration ran.
# SCHEDULE_SECONDS is how long the migration may wait for a node: 120 seconds. Longer if nodes are started when needed.
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

# The job is removed, or it would run when the reason is gone.
cannot_start() {
  kubectl delete job my-app-migrate --ignore-not-found --wait=false
  stop "The migration of $image cannot start. $1"
}

of_pods() {
  kubectl get pods --selector job-name=my-app-migrate -o "jsonpath=$1"
}

# What keeps the container of the migration from starting, as "reason: message"; empty while nothing does.
waiting() {
  of_pods '{range .items[*].status.containerStatuses[*]}{.state.waiting.reason}: {.state.waiting.message}{"\n"}{end}'
}

is_scheduled() {
  of_pods '{.items[*].status.conditions[?(@.type=="PodScheduled")].status}' | grep -q True
}

# Why no node takes the pod, or why there is no pod, such as a quota.
why_unscheduled() {
  of_pods '{.items[*].status.conditions[?(@.type=="PodScheduled")].message}' | grep . ||
    kubectl get events --field-selector involvedObject.name=my-app-migrate,type=Warning -o 'jsonpath={range .items[*]}{.message}{"\n"}{end}' | tail -n 1 | grep . ||
    echo "The reason is not known: kubectl describe job my-app-migrate"
}

# The digest of the image that the migration ran. A cluster knows none of an image that was never in a registry.
pin() {
  case $image in *@sha256:*) return ;; esac
  last=${image##*/}
  repository=${image%"$last"}${last%%:*}
  ran=$(of_pods '{range .items[?(@.status.phase=="Succeeded")]}{.status.containerStatuses[0].imageID}{"\n"}{end}' | head -n 1)
  case /${ran#*://} in
    */"$repository"@sha256:*) image=$repository@${ran##*@} ;;
    *) echo "The cluster knows no digest of $image, so the tag is deployed, which can be moved." >&2 ;;
  esac
}

kubectl apply -f network.yaml
# A job cannot be changed, so the one of the last release is deleted first, with its pods.
kubectl delete job my-app-migrate --ignore-not-found --cascade=foreground --wait
with_image migrate.yaml | kubectl apply -f -
unscheduled_since=$(date +%s)
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
  # These do not end by themselves.
  problem=$(waiting | grep -E '^(ImagePullBackOff|InvalidImageName|ErrImageNeverPull|CreateContainerConfigError):' | head -n 1) || true
  [ -z "$problem" ] || cannot_start "$problem"
  if is_scheduled; then
    unscheduled_since=$(date +%s)
  elif [ $(($(date +%s) - unscheduled_since)) -ge "${SCHEDULE_SECONDS:-120}" ]; then
    cannot_start "No node has taken it in ${SCHEDULE_SECONDS:-120} seconds. $(why_unscheduled)"
  fi
  sleep 1
done

pin
echo "Rolling out $image"
with_image app.yaml | kubectl apply -f -
if ! kubectl rollout status deployment/my-app; then
  kubectl get pods --selector app.kubernetes.io/name=my-app,app.kubernetes.io/component=app >&2 || true
  echo "The rollout of $image did not finish. The pods of the previous release still serve." >&2
  echo "To go back to it: kubernetes/deploy.sh <its image>" >&2
  exit 1
fi
