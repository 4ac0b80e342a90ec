// RPCs with which admins create, change and delete the webhook endpoints of their clinic. Secrets are returned only once.
import { isIP } from 'node:net';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { WEBHOOK_EVENTS } from '@clinic/lib/formats/webhook-events.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type {
  CreateWebhookEndpointRequest,
  DeleteWebhookEndpointRequest,
  ListWebhookEndpointsRequest,
  RotateWebhookSecretRequest,
  UpdateWebhookEndpointRequest,
} from '@clinic/proto/messaging/v1/webhook_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { cancelPending } from './deliveries.sql.ts';
import { deleteEndpoint, type EndpointRow, insertEndpoint, listEndpoints, lockAndCount, lockEndpoint, rotateSecret, updateEndpoint } from './endpoints.sql.ts';
import { isPublicAddress } from './public-address.ts';
import { encryptSecret, newSecret } from './secrets.ts';

const MAX_ENDPOINTS = 20;
const ROTATION_MS = 24 * 3_600_000;

export async function listWebhookEndpoints(app: App, request: ListWebhookEndpointsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { rows, total } = await listEndpoints(app.db, clinicOf(call).id, limit, offset);
  return { endpoints: rows.map(toFields), total, page, limit };
}

/** Does not support an Idempotency-Key, because a response with a secret is not stored. */
export async function createWebhookEndpoint(app: App, request: CreateWebhookEndpointRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const id = v7();
  const secret = newSecret();
  const wanted = {
    id,
    url: parseUrl(app, request.url),
    events: parseEvents(request.events),
    description: parseOptionalText('description', request.description, 200),
    secret_sealed: encryptSecret(app.keys, { clinic_id: clinicId, id }, secret), // plain-words: sealed is in the names of columns
  };
  return inTenant(app.db, clinicId, async (tx) => {
    if ((await lockAndCount(tx)) >= MAX_ENDPOINTS) fail('WEBHOOK_LIMIT_REACHED');
    const created = await insertEndpoint(tx, wanted, app.clock.now());
    await audit(tx, clinicId, call.caller, { action: 'webhook_endpoint.created', entityId: id, changes: shown(wanted) });
    return { ...toFields(created), secret };
  });
}

export async function updateWebhookEndpoint(app: App, request: UpdateWebhookEndpointRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const before = await getEndpoint(tx, request.id);
    const { isActive = before.is_active } = request;
    const switched = isActive
      ? { is_active: true, disabled_reason: null, disabled_at: null }
      : { is_active: false, disabled_reason: before.disabled_reason ?? 'by_admin', disabled_at: before.disabled_at ?? now };
    const changed = {
      ...before,
      url: request.url === undefined ? before.url : parseUrl(app, request.url),
      events: request.events.length === 0 ? before.events : parseEvents(request.events),
      description: request.description === undefined ? before.description : parseOptionalText('description', request.description, 200),
      ...switched,
    };
    const after = await updateEndpoint(tx, changed, now);
    if (!isActive) await cancelPending(tx, clinicId, before.id);
    const changes = maskChanges(audited(before), audited(after), ['url']);
    if (Object.keys(changes).length > 0) await audit(tx, clinicId, call.caller, { action: 'webhook_endpoint.updated', entityId: before.id, changes });
    return toFields(after);
  });
}

export async function deleteWebhookEndpoint(app: App, { id }: DeleteWebhookEndpointRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  return inTenant(app.db, clinicId, async (tx) => {
    const deleted = found(isUuid(id) ? await deleteEndpoint(tx, id) : undefined, 'Webhook endpoint');
    await audit(tx, clinicId, call.caller, { action: 'webhook_endpoint.deleted', entityId: deleted.id, changes: shown(deleted) });
    return { message: 'Webhook endpoint deleted' };
  });
}

export async function rotateWebhookSecret(app: App, request: RotateWebhookSecretRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const { id } = await getEndpoint(tx, request.id);
    const secret = newSecret();
    const until = new Date(now.getTime() + ROTATION_MS);
    await rotateSecret(tx, id, encryptSecret(app.keys, { clinic_id: clinicId, id }, secret), until, now);
    await audit(tx, clinicId, call.caller, { action: 'webhook_endpoint.secret_rotated', entityId: id });
    return { id, secret, previousSecretUntil: timestampFromDate(until) };
  });
}

/** Locks the endpoint. Throws NOT_FOUND. */
export const getEndpoint = async (tx: TenantTx, id: string) => found(isUuid(id) ? await lockEndpoint(tx, id) : undefined, 'Webhook endpoint');

/** For the audit log: without the path and query of the URL, which are often secret. */
const shown = ({ url, events }: { url: string; events: string[] }) => ({ host: new URL(url).host, events });
const audited = ({ url, events, description, is_active }: EndpointRow) => ({ ...shown({ url, events }), url, description, is_active });

function parseEvents(events: string[]): string[] {
  if (events.length === 0) invalid('events', 'must not be empty');
  return [...new Set(events.map((type, index) => parseOneOf(`events.${index}`, type, WEBHOOK_EVENTS)))].sort();
}

/** The addresses to which a host name resolves are checked at each delivery. */
function parseUrl({ webhooks: { allowPrivate } }: App, value: string): string {
  const text = parseText('url', value, 2_000);
  const url = URL.parse(text) ?? invalid('url', 'must be a URL');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) invalid('url', 'must begin with https://');
  if (url.username || url.password) invalid('url', 'must not contain a user name or password');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = isIP(hostname) === 0 ? /(^|\.)(localhost|local|internal)\.?$/.test(hostname) : !isPublicAddress(hostname);
  if (isLocal && !allowPrivate) invalid('url', 'must be a public address');
  url.hash = '';
  return url.href;
}
