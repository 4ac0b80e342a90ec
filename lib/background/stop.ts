// Stops loops, pools and servers, which run until they are stopped.

export type Stoppable = { stop(): Promise<unknown> };

/** Stops all in reverse order, one after another, and empties the array. */
export async function stopAll(running: Stoppable[]): Promise<void> {
  for (let part = running.pop(); part; part = running.pop()) await part.stop();
}
