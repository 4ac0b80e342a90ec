import { WEBHOOK_EVENTS } from '@clinic/lib/formats/webhook-events.ts';
import { WebhookService } from '@clinic/proto/messaging/v1/webhook_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, maybe, pages, text } from './schemas.ts';

const { method } = WebhookService;
const url = text(2_000).meta({ format: 'uri' });
const events = z.array(z.enum(WEBHOOK_EVENTS)).min(1, 'must not be empty').max(WEBHOOK_EVENTS.length);
const status = z.enum(['pending', 'delivered', 'failed', 'cancelled']);

export const webhooks = area({
  prefix: '/api/webhook-endpoints',
  tag: 'Outbound webhooks',
  about: 'URLs to which the events of the clinic are sent, signed according to Standard Webhooks.',
  all: { scope: 'none', feature: 'webhooks', notFound: 'Webhook endpoint not found' },
  routes: [
    { method: 'get', path: '/api/webhook-endpoints', rpc: method.listWebhookEndpoints, query: { ...pages } },
    {
      method: 'post',
      path: '/api/webhook-endpoints',
      rpc: method.createWebhookEndpoint,
      body: { url, events, description: maybe(text(200)) },
      status: 201,
      errors: ['WEBHOOK_LIMIT_REACHED'],
      example: { url: 'https://agenda.example/clinic-events', events: ['appointment.booked', 'appointment.status_changed'], description: 'Agenda externa' },
    },
    {
      method: 'post',
      path: '/api/webhook-endpoints/deliveries/:id/redeliver',
      rpc: method.redeliverWebhook,
      notFound: 'Delivery not found',
      errors: ['WEBHOOK_DISABLED'],
    },
    {
      method: 'patch',
      path: '/api/webhook-endpoints/:id',
      rpc: method.updateWebhookEndpoint,
      body: { url: url.optional(), events: events.optional(), description: clearable(text(200)), isActive: z.boolean().optional() },
      example: { isActive: false },
    },
    { method: 'delete', path: '/api/webhook-endpoints/:id', rpc: method.deleteWebhookEndpoint },
    { method: 'post', path: '/api/webhook-endpoints/:id/rotate-secret', rpc: method.rotateWebhookSecret },
    { method: 'post', path: '/api/webhook-endpoints/:id/test', rpc: method.testWebhookEndpoint },
    { method: 'get', path: '/api/webhook-endpoints/:id/deliveries', rpc: method.listWebhookDeliveries, query: { status: status.optional(), ...pages } },
  ],
});
