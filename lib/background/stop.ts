// Ends what was started, newest first, once.

export type Stoppable = { stop(): Promise<unknown> };

export async function stopAll(running: Stoppable[]): Promise<void> {
  for (let part = running.pop(); part; part = running.pop()) await part.stop();
}
