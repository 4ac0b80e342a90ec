// Starts the product with clinics that have a chat number and the bot on, and a provider on loopback that reports each message as sent and delivered.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { closeDb } from '@clinic/lib/db/db.ts';
import pg from 'pg';
import { type Owners, rebuildFigures } from '../../services/scheduling/analytics/rebuild.ts';
import { startBenchProvider } from './chat-provider.ts';
import { startProduct, type Topology } from './children.ts';
import { roleDb } from './costs.ts';
import { readCounters } from './counters.ts';
import { describe } from './dataset.ts';
import { loadDataset } from './load.ts';
import { COUNT_STATEMENTS } from './statement-growth.ts';
import { openStores, type Store } from './stores.ts';
import { signTokens } from './tokens.ts';
import { push } from './while-running.ts';

/** Starts everything and pushes it onto `running`. */
export async function startConnectedProduct(topology: Topology, clinics: number, running: Stoppable[]) {
  const store = (await openStores(['chat'], running, [COUNT_STATEMENTS])).get('chat') as Store;
  const data = describe({ clinics, appointments: clinics * 500, today: new Date().toISOString().slice(0, 10) });
  await loadDataset(store.ownerUrl, data);
  await countFigures(store.ownerUrl);
  const owner = new pg.Pool({ connectionString: store.ownerUrl, max: 1 });
  running.push({ stop: () => owner.end() });
  await owner.query('create extension pg_stat_statements');
  const provider = await push(running, startBenchProvider());
  const product = await push(running, startProduct(topology, 'product', { ...store.env, CHAT_API_BASE_URL: provider.url, LOG_LEVEL: 'error' }));
  provider.webhook = { url: `${product.url}/webhooks/chat`, secret: store.env.CHAT_APP_SECRET ?? '' };
  const tokens = await signTokens(store.env, data);
  const parts = [...product.parts, ...store.parts];
  return {
    data,
    owner,
    provider,
    product,
    tokens,
    counters: () => readCounters(owner, parts),
    connectNumbers: () => Promise.all(tokens.map((token, clinic) => connectNumber(product.url, token, `bench-${clinic}`))),
  };
}

/** Computes the figures of the loaded appointments, for which no events exist. */
async function countFigures(ownerUrl: string): Promise<void> {
  const none = { treatmentPlans: [], paymentPlans: [], documents: [], clinicIds: [] };
  const dental = { listPaymentPlanStates: async () => none, listTreatmentPlanStates: async () => none };
  const db = roleDb(ownerUrl, 'scheduling');
  await rebuildFigures(db, { dental, billing: { listTaxDocumentStates: async () => none } } as unknown as Owners, () => {});
  await closeDb(db);
}

async function connectNumber(url: string, token: string, numberId: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const settings = { chat_phone_number_id: numberId, chat_access_token: 'a-token-of-the-benchmark', bot_enabled: true };
  await send(`${url}/api/clinics/settings`, { method: 'PATCH', headers, body: JSON.stringify(settings) });
  // Without quiet hours, so that a cancellation is measured with its notice at every hour of the day.
  const noQuietHours = { quiet_from: '00:00', quiet_until: '00:00' };
  await send(`${url}/api/chat/reminders`, { method: 'PATCH', headers, body: JSON.stringify(noQuietHours) });
  for (let status = ''; status !== 'active'; await sleep(200)) status = ((await send(`${url}/api/chat/status`, { headers })) as { status: string }).status;
}

const TRIES = 60;

/** Sends a request, and retries it while it gets 503 because the machine is busy. Throws for other errors. */
export async function send(url: string, request: RequestInit): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, request);
    if (response.ok) return response.json();
    if (response.status !== 503 || tries === TRIES) throw new Error(`${request.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`);
    await sleep(1_000);
  }
}
