// Stops loops, pools and servers, which run until they are stopped.

export type Stoppable = { stop(): Promise<unknown> };

/** Stops all in reverse order, one after another, and empties the array. Throws at the end when some could not be stopped. */
export async function stopAll(running: Stoppable[]): Promise<void> {
  const errors: unknown[] = [];
  for (let part = running.pop(); part; part = running.pop()) {
    try {
      await part.stop();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be stopped');
  if (errors.length > 0) throw errors[0];
}
