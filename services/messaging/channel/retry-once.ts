// Calls of the provider while an admin waits for the response.
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatProviderError } from './chat-provider.ts';
import { isTransient } from './provider-errors-rules.ts';

const PAUSE_MS = 300;

/** Repeats the call once after a transient failure. Throws ChatProviderError. */
export async function retryOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ChatProviderError) || !isTransient(error)) throw error;
    await sleep(PAUSE_MS);
    return call();
  }
}
