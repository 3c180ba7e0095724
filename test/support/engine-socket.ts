/** Where the Docker engine of the tests listens. */
export function engineSocket(): string {
  return /^unix:\/\/(.+)$/.exec(process.env.DOCKER_HOST ?? '')?.[1] ?? '/var/run/docker.sock';
}
