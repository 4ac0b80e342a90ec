// Records the examples of the reference.
import { writeFileSync } from 'node:fs';
import { LIVE_EVENTS } from '@clinic/gateway/live/live-event.ts';
import { CUSTOM_ROUTES } from '@clinic/gateway/openapi/custom-routes.ts';
import type { Examples } from '@clinic/gateway/openapi/examples.ts';
import { operationIdOf } from '@clinic/gateway/openapi/operation-id.ts';
import { webhookOperationId } from '@clinic/gateway/openapi/webhook-schemas.ts';
import { WEBHOOK_EVENTS } from '@clinic/lib/formats/webhook-events.ts';
import { startProduct } from '../../scripts/dev/product.ts';
import { parseOptions } from '../../scripts/help.ts';
import { type Answer, apiAt, type Body, type Extra, parse, watched } from '../api.ts';
import type { Clinic } from '../clinic.ts';
import { bodyFor, furnish, idFor, queryFor, queryText, type Records } from '../furnish.ts';
import { nameOf, pathOf, type Row, rows } from '../rows.ts';
import { listen } from './listen.ts';
import { steps } from './steps.ts';
import { withoutSecrets } from './without-secrets.ts';

const USAGE = `Usage: npm run examples

Starts a product, calls every operation for its demo clinic, and writes the requests and responses to gateway/openapi/examples.json, which the
reference shows. Ids and secrets are replaced.`;

parseOptions({ options: {} }, USAGE);

const FILE = new URL('../../gateway/openapi/examples.json', import.meta.url);
const MAX_ITEMS = 2;
const MAX_TEXT = 200;
/** Longer responses are replaced by shorter ones of the same operation. */
const MAX_ANSWER = 6_000;

const operations = [...rows.map((row) => ({ id: operationIdOf(row), ...row })), ...CUSTOM_ROUTES.map((route) => ({ id: route.operationId, ...route }))];
const matchers = operations.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '([^/]+?)')}$`),
}));
const examples: Examples = {};
const refusals = new Map<string, string>();

/** Shortens lists and texts. */
function shorten(value: Body): Body {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten);
  if (typeof value === 'string' && value.length > MAX_TEXT) return value.slice(0, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}

/** Stores the exchange unless the stored one shows more. */
function record(method: string, url: string, body: Body, { status, body: answer, text }: Answer): void {
  const [path = ''] = url.split('?');
  const id = matchers.find((one) => one.method === method.toLowerCase() && one.pattern.test(path))?.id;
  if (!id) return;
  if (status >= 300) {
    refusals.set(id, `${status} ${text.slice(0, 200)}`);
    return;
  }
  const sent = answer === undefined || body instanceof Uint8Array ? undefined : typeof body === 'string' ? parse(body) : body;
  const example = { ...(sent !== undefined && { body: sent }), ...(answer !== undefined && { answer: shorten(answer) }) };
  const size = JSON.stringify(example).length;
  const known = examples[id];
  if (!known || (size <= MAX_ANSWER && size > JSON.stringify(known).length)) examples[id] = example;
}

const product = await startProduct('single', { LOG_LEVEL: 'error' });
try {
  const plain = apiAt(product.api);
  const api = watched(plain, record);
  const { body: session } = await api.post('/api/auth/login', product.api.demo);
  const clinic: Clinic = { id: session.clinic.id, ...product.api.demo, token: session.access_token, session, cookie: '' };
  const received = await listen(plain, clinic);
  await api.patch(`/api/users/${session.user.id}`, { licenseNumber: 'JVPO 1234' }, clinic);
  const records: Records = await furnish(api, clinic);
  await steps({ api, clinic, records, product, received });
  for (const path of ['/status', '/.well-known/jwks.json']) await api.get(path);

  const ofClinic = rows.filter(({ access }) => access === 'user' || access === 'admin');
  const call = async (row: Row, extra: Extra) => {
    const idOf = (name: string) => idFor(records, name, row.path) ?? records.doctors ?? '';
    const body = bodyFor(row, idOf);
    await api.send(row.method.toUpperCase(), pathOf(row, idOf) + queryText(queryFor(row)), body, extra);
  };
  const missing = () => rows.filter((row) => !examples[operationIdOf(row)]);
  for (const row of ofClinic.filter(({ method }) => method === 'get')) await call(row, clinic);
  for (const row of rows.filter(({ access, method }) => access === 'superadmin' && method === 'get')) await call(row, api.operator);
  for (const row of missing().filter(({ access, method }) => (access === 'user' || access === 'admin') && method !== 'delete')) await call(row, clinic);
  for (const row of missing().filter(({ access, method }) => (access === 'user' || access === 'admin') && method === 'delete')) await call(row, clinic);
  for (const row of missing().filter(({ access, method }) => access === 'superadmin' && method !== 'get')) await call(row, api.operator);

  received.stop();
  for (const [type, body] of received.webhooks) examples[webhookOperationId(type)] = { body: shorten(body) };
  examples.streamEvents = { events: Object.fromEntries([...received.events].sort(([a], [b]) => a.localeCompare(b))) };
  const sorted = Object.fromEntries(Object.entries(withoutSecrets(examples, product.api.baseUrl)).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
  console.log(`${Object.keys(sorted).length} operations`);
  for (const type of WEBHOOK_EVENTS) if (!received.webhooks.has(type)) console.log(`no webhook: ${type}`);
  for (const { name } of LIVE_EVENTS) if (!received.events.has(name)) console.log(`no live event: ${name}`);
  for (const row of missing()) console.log(`none: ${operationIdOf(row)} (${nameOf(row)}): ${refusals.get(operationIdOf(row)) ?? 'not called'}`);
} finally {
  await product.stop();
}
