// Loops, pools and servers that run until they are stopped.

export type Stoppable = { stop(): Promise<unknown> };

/** Stops and removes each, the last one first. */
export async function stopAll(running: Stoppable[]): Promise<void> {
  for (let part = running.pop(); part; part = running.pop()) await part.stop();
}
