// Webhooks: events that are sent to the programs of a clinic.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { WebhookService } from '@clinic/proto/messaging/v1/webhook_pb.js';
import type { App } from '../app.ts';
import { watchDeliveries } from './deliveries.sql.ts';
import { notifyDisabledJob, purgeDeliveriesJob } from './jobs.ts';
import { listWebhookDeliveries, redeliverWebhook } from './list-deliveries.ts';
import { createWebhookEndpoint, deleteWebhookEndpoint, listWebhookEndpoints, rotateWebhookSecret, updateWebhookEndpoint } from './manage-endpoints.ts';
import { onEvents, sendWebhooksJob } from './on-events.ts';
import { secretContext } from './secrets.ts';
import { startWebhookSender } from './sender.ts';
import { testWebhookEndpoint } from './test-endpoint.ts';

// plain-words: sealed is in the names of columns
const encrypted = (column: 'secret_sealed' | 'previous_secret_sealed') => ({
  table: 'webhook_endpoints',
  key: ['clinic_id', 'id'],
  column,
  context: ({ clinic_id, id }: Record<string, string>) => secretContext(clinic_id as string, id as string),
});

export const webhooks: Module<App> = {
  rpcs: [
    rpcs(WebhookService, {
      listWebhookEndpoints,
      createWebhookEndpoint,
      updateWebhookEndpoint,
      deleteWebhookEndpoint,
      rotateWebhookSecret,
      testWebhookEndpoint,
      listWebhookDeliveries,
      redeliverWebhook,
    }),
  ],
  consumers: onEvents,
  jobs: (app) => [sendWebhooksJob(app), notifyDisabledJob(app), purgeDeliveriesJob(app)],
  loops: (app) => [watchDeliveries(app), startWebhookSender(app)],
  personal: [{ table: 'webhook_deliveries' }, { table: 'webhook_endpoints', secret: ['secret_sealed', 'previous_secret_sealed'] }], // plain-words: names of columns
  encrypted: [encrypted('secret_sealed'), encrypted('previous_secret_sealed')], // plain-words: names of columns
};
