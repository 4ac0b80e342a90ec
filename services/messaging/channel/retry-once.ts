// Calls of a binding: tried twice when that may help, and refused in the provider's own words.
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatProviderError } from './chat-provider.ts';
import { isTransient } from './onboarding-rules.ts';

const PAUSE_MS = 300;

/** The call's answer; a second try after a failure that may pass. Throws ChatProviderError. */
export async function retryOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ChatProviderError) || !isTransient(error)) throw error;
    await sleep(PAUSE_MS);
    return call();
  }
}
