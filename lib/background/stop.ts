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
  throwIfAny(errors);
}

/** Stops all at the same time. Throws when all have ended and some could not be stopped. */
export async function stopTogether(running: Iterable<Stoppable>): Promise<void> {
  const outcomes = await Promise.allSettled(Array.from(running, async (part) => part.stop()));
  throwIfAny(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])));
}

function throwIfAny(errors: unknown[]): void {
  if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be stopped');
  if (errors.length > 0) throw errors[0];
}
