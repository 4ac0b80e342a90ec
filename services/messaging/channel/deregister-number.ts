// Deregisters a number that its clinic no longer uses, unless a clinic, usually another one, has proven it. If the provider refuses, that is logged
// and the number stays registered there.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import { findProvenClinic, lockProvenChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { FINISH_BINDINGS } from './finish-binding.ts';
import { DEREGISTER_NUMBER, findRetiredNumber, forgetRetiredNumber } from './next-channels.sql.ts';
import { isNotRegistered, isTransient } from './provider-errors-rules.ts';
import { lockDeliveryProcessing } from './unproven-deliveries.sql.ts';

/** Throws ChatProviderError if the provider is unavailable. May be repeated. */
export async function deregisterNumber(app: App, clinicId: string, numberId: string): Promise<void> {
  const retired = await findRetiredNumber(app.db, clinicId, numberId);
  const token = decryptChannelSecret(app.keys, retired, 'access_token');
  if (!token) return; // already deregistered, or in use again
  if (!(await findProvenClinic(app.db, numberId))) {
    await deregister(app, clinicId, numberId, token);
    await registerAgain(app, numberId);
  }
  await inTenant(app.db, clinicId, (tx) => forgetRetiredNumber(tx, numberId));
}

async function deregister(app: App, clinicId: string, numberId: string, token: string): Promise<void> {
  try {
    await retryOnce(() => app.chat.deregister(token, numberId));
  } catch (error) {
    if (!(error instanceof ChatProviderError) || isTransient(error)) throw error;
    if (!isNotRegistered(error)) app.log.warn({ clinic: clinicId, errorCode: error.code, http: error.http }, 'the provider did not deregister a chat number');
  }
}

/** If a clinic has proven the number meanwhile, its connection is repeated, since it may have registered the number before it was deregistered. */
function registerAgain(app: App, numberId: string): Promise<void> {
  // As the system, because it may be another clinic.
  return asSystem(app.db, async (tx) => {
    await lockDeliveryProcessing(tx); // no number is being proven
    const owner = await lockProvenChannel(tx, numberId);
    if (owner?.status !== 'active' || owner.phone_number_id !== numberId) return;
    await updateChannel(tx, owner, { status: 'verifying', detail: 'The number is being registered again', retry_at: app.clock.now(), attempts: 0 });
    await enqueue(tx, FINISH_BINDINGS, {});
  });
}

export const deregisterNumberJob = (app: App) =>
  job<{ clinicId: string; numberId: string }>(DEREGISTER_NUMBER, { limitSeconds: 30 }, ({ clinicId, numberId }) => deregisterNumber(app, clinicId, numberId));
