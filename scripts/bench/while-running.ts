// Stops everything that a measurement has started when it ends, fails or is interrupted.
import { type Stoppable, stopAll } from '@clinic/lib/background/stop.ts';

/** `work` pushes everything that it starts onto `running`. */
export async function whileRunning<T>(work: (running: Stoppable[]) => Promise<T>): Promise<T> {
  const running: Stoppable[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopAll(running));
  const interrupted = () => void stop().finally(() => process.exit(1));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work(running);
  } finally {
    await stop();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

export async function push<S extends Stoppable>(running: Stoppable[], starting: S | Promise<S>): Promise<S> {
  const started = await starting;
  running.push(started);
  return started;
}
