/** The objects of Kubernetes, one text each. */

/** Nothing of it needs more: the image runs as a number, writes no file and opens no low port. */
const POD_SECURITY = `      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
`;

const CONTAINER_SECURITY = `          securityContext:
            readOnlyRootFilesystem: true
            allowPrivilegeEscalation: false
            capabilities:
              drop: [ALL]
`;

export function jobText(name: string): string {
  return `# Brings the database up to date. Runs before every rollout; see deploy.sh.
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}-migrate
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/component: migrate
spec:
  # A run that failed is started again, and continues where it stopped.
  backoffLimit: 3
  podFailurePolicy:
    rules:
      # 3: this database and this release do not go together. Another run would say the same.
      - action: FailJob
        onExitCodes:
          containerName: migrate
          operator: In
          values: [3]
      # A node that is emptied is no failure of the migration.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: 'True'
  # The end of all runs together, in seconds. Longer for tables that take longer; deploy.sh waits for it.
  activeDeadlineSeconds: 3600
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
        app.kubernetes.io/component: migrate
    spec:
      restartPolicy: Never
${POD_SECURITY}\
      containers:
        - name: migrate
          image: ${name}:main
          args: [migrate]
          envFrom:
            - secretRef:
                name: ${name}
${CONTAINER_SECURITY}\
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              cpu: '1'
              memory: 512Mi
`;
}

export function deploymentText(name: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/component: app
spec:
  # The number of replicas is the autoscaler's.
  # The next pod is stopped when the one before has ended: see the connections below, at maxReplicas.
  minReadySeconds: 35
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
      app.kubernetes.io/component: app
  strategy:
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
        app.kubernetes.io/component: app
    spec:
      # SHUTDOWN_GRACE, 5 seconds: the pod still answers, until every node knows that it is going. Then SHUTDOWN_TIMEOUT,
      # 25 seconds: requests in progress are finished. And 5 to spare.
      terminationGracePeriodSeconds: 35
${POD_SECURITY}\
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: ${name}
              app.kubernetes.io/component: app
      containers:
        - name: app
          image: ${name}:main
          args: [serve]
          ports:
            - name: http
              containerPort: 3000
            # For Prometheus. The service does not have it, so that it is not reached from outside of the cluster.
            - name: metrics
              containerPort: 9464
          env:
            - name: PORT
              value: '3000'
            - name: METRICS_PORT
              value: '9464'
            # The number of proxies in front, such as an ingress. Without it, the failed logins of everybody behind them
            # count as one client's. Where the service is reached without a proxy, leave it out: clients could then send
            # any address in X-Forwarded-For.
            # - name: TRUST_PROXY
            #   value: '1'
          envFrom:
            - secretRef:
                name: ${name}
          startupProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 1
            failureThreshold: 60
          # Says no while the database is out of reach, or behind this release.
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: 5
            timeoutSeconds: 3
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 10
            timeoutSeconds: 3
${CONTAINER_SECURITY}\
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              cpu: '1'
              memory: 512Mi
`;
}

export function serviceText(name: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/name: ${name}
spec:
  selector:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/component: app
  ports:
    - name: http
      port: 80
      targetPort: http
`;
}

export function disruptionText(name: string): string {
  return `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
spec:
  minAvailable: 1
  # A pod that is not ready serves nobody, so it never stands in the way.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
      app.kubernetes.io/component: app
`;
}

export function autoscalerText(name: string): string {
  return `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: ${name}
  minReplicas: 2
  # Each pod has up to DATABASE_POOL_MAX + 2 = 12 connections. In a rollout there are at most maxReplicas, 1 more by
  # maxSurge, and 1 that is stopping: (5 + 1 + 1) * 12 = 84. Postgres allows 100 by default, 3 of them for superusers only.
  # So 13 are left for the migration, which needs 2, and for people and backups.
  maxReplicas: 5
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 70
`;
}

export function secretText(name: string, variables: readonly string[]): string {
  return `# What the application is told in confidence. Keep the real one out of git; this makes it:
#
#   kubectl create secret generic ${name} --from-literal=DATABASE_URL='postgres://…'
apiVersion: v1
kind: Secret
metadata:
  name: ${name}
type: Opaque
stringData:
  DATABASE_URL: ''
${variables.map((variable) => `  ${variable}: ''\n`).join('')}`;
}
