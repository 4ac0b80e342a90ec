// The container engine of this machine. When there is none, the tests of this folder are skipped with the reason.
import { spawnSync } from 'node:child_process';
import { getContainerRuntimeClient } from 'testcontainers';

/** What is missing; undefined when the engine is available. */
export async function engineFault(): Promise<string | undefined> {
  const engine = await getContainerRuntimeClient().catch((error: Error) => error);
  if (engine instanceof Error) return 'no container engine answers';
  const compose = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' });
  return compose.status === 0 ? undefined : '`docker compose` is not there';
}

type Engine = Awaited<ReturnType<typeof getContainerRuntimeClient>>['container']['dockerode'];

export const engine = async (): Promise<Engine> => (await getContainerRuntimeClient()).container.dockerode;

/** The running or exited container of a service of a Compose project. */
export async function containerOf(project: string, service: string) {
  const docker = await engine();
  const label = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${service}`];
  const [found] = await docker.listContainers({ all: true, filters: { label } });
  if (!found) throw new Error(`${project} has no container of ${service}`);
  return docker.getContainer(found.Id);
}
