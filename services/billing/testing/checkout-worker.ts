// Billing in a process of its own that issues many documents concurrently, and runs until a test kills it or ends.
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { startService } from '@clinic/lib/runtime/service.ts';
import { untilAvailable } from '@clinic/lib/runtime/until-available.ts';
import { asUser } from '@clinic/lib/testing/callers.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { testSettings } from '@clinic/lib/testing/settings.ts';
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { createClient, createRouterTransport } from '@connectrpc/connect';
import billing from '../service.ts';

const { DATABASE = '', AUTHORITY = '', NOW = '', CLINIC = '', ORDER = '{}', KEYS = '' } = process.env;
process.once('disconnect', () => process.exit());
const nobody = createRouterTransport(() => {});
const settings = testSettings(billing.settings, { ...databaseUrls(DATABASE, 'billing'), DTE_API_BASE_URL: AUTHORITY, DTE_TIMEOUT_MS: '2000' });
const service = await startService(billing, { settings, transportTo: () => nobody, clock: manualClock(new Date(NOW)) });
const documents = createClient(TaxDocumentService, service.transport);
// Repeated as clients do: while a counter is locked, waits for connections and locks time out.
const checkout = (key: string) => untilAvailable(600, () => documents.checkout(JSON.parse(ORDER), asUser(CLINIC, { key })));
await Promise.allSettled(KEYS.split(',').map(checkout));
