// The events of both webhooks are at one path, /api/superadmin/webhook-events?source=payments|chat. Those of the chat provider are an area of
// their own at /api/superadmin/webhook-events/chat.
import type { RequestHandler } from 'express';

export const WEBHOOK_EVENTS_PATH = '/api/superadmin/webhook-events';

/** Rewrites requests with `source=chat` to the area of the chat deliveries. Must be mounted at WEBHOOK_EVENTS_PATH. */
export const chooseWebhookSource: RequestHandler = (request, _response, next) => {
  const [path = '', query = ''] = request.url.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (parameters.getAll('source').join() === 'chat' && !path.startsWith('/chat')) {
    parameters.delete('source');
    request.url = `/chat${path === '/' ? '' : path}?${parameters}`;
  }
  next();
};
