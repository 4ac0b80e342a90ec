// Sends due deliveries. One sender at a time works on an endpoint, one delivery after another, so that a slow or dead endpoint delays no other.
// No transaction is open while an endpoint is called: if a process is killed before it stores the outcome, the delivery is sent again.
import { randomUUID } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import { cancelPending, type NextDelivery, nextDelivery, saveAttempt } from './deliveries.sql.ts';
import { type Claimed, claimEndpoints, releaseEndpoint, setFailed, setSucceeded } from './endpoints.sql.ts';
import { NOTIFY_DISABLED } from './jobs.ts';
import { type EndpointResponse, isSuccess } from './post.ts';
import { afterFailure } from './retry-rules.ts';
import { decryptSecret, signedHeaders } from './secrets.ts';
import { sendsWebhooks } from './sends-webhooks.ts';

/** Endpoints on which a replica works concurrently. Most of that time is spent waiting for responses. */
const MAX_ENDPOINTS = 500;
const SWEEP_MS = 5_000;

export function startWebhookSender(app: App): Stoppable {
  const claim = randomUUID();
  const working = new Map<string, Promise<void>>();
  let stopping = false;
  let passes = 0;

  async function work(endpoint: Claimed): Promise<void> {
    while (!stopping) {
      const isAllowed = await sendsWebhooks(app, endpoint.clinic_id); // before the claim is renewed, since it may take as long as an attempt
      const next = await asSystem(app.db, (tx) => nextDelivery(tx, endpoint, claim, app.clock.now()));
      if (!next) break;
      if (isAllowed) await deliver(app, endpoint, next);
      else await asSystem(app.db, (tx) => cancelPending(tx, endpoint.clinic_id, endpoint.id));
    }
    await asSystem(app.db, (tx) => releaseEndpoint(tx, endpoint, claim));
  }

  function begin(endpoint: Claimed): void {
    const pass = passes;
    const done = work(endpoint)
      .catch((error: unknown) =>
        app.log.warn({ err: error, endpoint: endpoint.id }, 'sending the webhooks of an endpoint was interrupted; it is resumed when the claim ends'),
      )
      .finally(() => {
        working.delete(endpoint.id);
        if (passes > pass) app.webhooks.due.notify(); // a pass may have skipped the endpoint meanwhile
      });
    working.set(endpoint.id, done);
  }

  const options = { log: app.log, failure: 'webhooks are not sent', signal: app.webhooks.due, everyMs: SWEEP_MS };
  const loop = startLoop(options, async () => {
    passes++;
    const free = MAX_ENDPOINTS - working.size;
    if (free === 0) return;
    // As the system, because it covers all clinics.
    const claimed = await asSystem(app.db, (tx) => claimEndpoints(tx, app.clock.now(), claim, free, [...working.keys()]));
    for (const endpoint of claimed) begin(endpoint);
  });
  return {
    async stop() {
      stopping = true;
      await loop.stop();
      await Promise.all(working.values());
      await app.webhooks.post.close();
    },
  };
}

async function deliver(app: App, endpoint: Claimed, delivery: NextDelivery): Promise<void> {
  const { message_id, payload, url, secret_sealed, previous_secret_sealed } = delivery; // plain-words: sealed is in the names of columns
  const ciphertexts = previous_secret_sealed ? [secret_sealed, previous_secret_sealed] : [secret_sealed]; // plain-words: as above
  const secrets = ciphertexts.map((ciphertext) => decryptSecret(app.keys, endpoint, ciphertext));
  const response = await app.webhooks.post(url, signedHeaders(message_id, payload, secrets, app.clock.now()), payload);
  await asSystem(app.db, async (tx) => {
    const now = app.clock.now();
    if (!isSuccess(response.status)) return saveFailure(tx, endpoint, delivery, response, now);
    await setSucceeded(tx, endpoint);
    await saveAttempt(tx, delivery, 'delivered', response, null, now);
  });
}

async function saveFailure(tx: SystemTx, endpoint: Claimed, delivery: NextDelivery, response: EndpointResponse, now: Date): Promise<void> {
  const { nextAttemptAt, ...outcome } = afterFailure(delivery, delivery, response.status, now);
  // The endpoint is locked before the delivery, as when an admin disables it.
  const isUnchanged = await setFailed(tx, endpoint, outcome, delivery.updated_at, now);
  await saveAttempt(tx, delivery, nextAttemptAt ? 'pending' : 'failed', response, nextAttemptAt, now);
  if (!outcome.disabled || !isUnchanged) return;
  await cancelPending(tx, endpoint.clinic_id, endpoint.id);
  const changes = { reason: outcome.disabled };
  await audit(tx, endpoint.clinic_id, serviceCaller('messaging', ''), { action: 'webhook_endpoint.disabled', entityId: endpoint.id, changes });
  await enqueue(tx, NOTIFY_DISABLED, { clinicId: endpoint.clinic_id, endpointId: endpoint.id });
}
