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
  # A run that failed goes on where it stopped.
  backoffLimit: 3
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
      # The wait before the stop, then the 25 seconds that running requests are given.
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
          lifecycle:
            # Until every node knows that no more requests are to come. Needs Kubernetes 1.30.
            preStop:
              sleep:
                seconds: 5
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
  # Each replica holds up to DATABASE_POOL_MAX connections (10 by default), and Postgres allows 100 by default.
  maxReplicas: 8
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
