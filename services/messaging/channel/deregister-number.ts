// Deregisters a number that its clinic no longer uses. If the provider refuses, that is logged and the number stays registered there.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { DEREGISTER_NUMBER, findRetiredNumber, forgetRetiredNumber } from './next-channels.sql.ts';
import { isNotRegistered, isTransient } from './provider-errors-rules.ts';

/** Throws ChatProviderError if the provider is unavailable. May be repeated. */
export async function deregisterNumber(app: App, clinicId: string, numberId: string): Promise<void> {
  const retired = await findRetiredNumber(app.db, clinicId, numberId);
  const token = decryptChannelSecret(app.keys, retired, 'access_token');
  if (!token) return; // already deregistered, or in use again
  try {
    await retryOnce(() => app.chat.deregister(token, numberId));
  } catch (error) {
    if (!(error instanceof ChatProviderError) || isTransient(error)) throw error;
    if (!isNotRegistered(error)) app.log.warn({ clinic: clinicId, errorCode: error.code, http: error.http }, 'the provider did not deregister a chat number');
  }
  await inTenant(app.db, clinicId, (tx) => forgetRetiredNumber(tx, numberId));
}

export const deregisterNumberJob = (app: App) =>
  job<{ clinicId: string; numberId: string }>(DEREGISTER_NUMBER, { limitSeconds: 30 }, ({ clinicId, numberId }) => deregisterNumber(app, clinicId, numberId));
