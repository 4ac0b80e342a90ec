// Sends a test event to an endpoint immediately, even if it is disabled, and returns the endpoint's response.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { TestWebhookEndpointRequest } from '@clinic/proto/messaging/v1/webhook_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { getEndpoint } from './manage-endpoints.ts';
import { isSuccess } from './post.ts';
import { decryptSecret, signedHeaders } from './secrets.ts';

/** Shorter than the deadline of an RPC. */
const TIMEOUT_MS = 7_000;

export async function testWebhookEndpoint(app: App, request: TestWebhookEndpointRequest, call: Call) {
  const now = app.clock.now();
  const endpoint = await inTenant(app.db, clinicOf(call).id, (tx) => getEndpoint(tx, request.id));
  const payload = JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: { endpoint_id: endpoint.id } });
  const headers = signedHeaders(`msg_${v7()}`, payload, [decryptSecret(app.keys, endpoint, endpoint.secret_sealed)], now); // plain-words: sealed is in the names of columns
  const { status, body, error, durationMs } = await app.webhooks.post(endpoint.url, headers, payload, TIMEOUT_MS);
  return {
    delivered: isSuccess(status),
    responseStatus: status ?? undefined,
    responseBody: body ?? undefined,
    error: error ?? undefined,
    durationMs,
  };
}
