// Changes of the chat, the FAQ, webhooks and the assistant.
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Changes, type Context, plain, type Target } from './change.ts';

export async function messagingChanges({ get, post, find, fresh }: Context): Promise<Changes> {
  const faq = async (): Promise<Target> => {
    const { id } = await post('/api/faq', { category: 'parking', question: '¿Parqueo?', answer: 'Sí', keywords: ['parqueo'] });
    return { params: { id }, read: () => find(get('/api/faq'), id) };
  };
  const webhookEndpoint = async (): Promise<Target> => {
    const { id } = await post('/api/webhook-endpoints', { url: 'https://agenda.example/before', events: ['patient.created'], description: 'Agenda' });
    return {
      params: { id },
      read: () =>
        find(
          get('/api/webhook-endpoints?limit=500').then(({ endpoints }) => endpoints),
          id,
        ),
    };
  };
  const cannedReply = async (): Promise<Target> => {
    const { id } = await post('/api/canned-replies', { title: randomUUID(), body: 'Hola' });
    return { params: { id }, read: () => find(get('/api/canned-replies'), id) };
  };

  return {
    'PATCH /api/chat/texts': {
      record: fresh('/api/chat/texts'),
      fields: {
        texts: {
          value: [{ key: 'greeting', language: 'es', text: 'Hola' }],
          shown: { texts: expect.arrayContaining([expect.objectContaining({ key: 'greeting', language: 'es', text: 'Hola', is_custom: true })]) },
        },
      },
    },
    'PATCH /api/chat/reminders': { record: fresh('/api/chat/reminders'), fields: plain({ is_enabled: false, quiet_from: '19:30', quiet_until: '07:30' }) },
    'PUT /api/faq/:id': {
      record: faq,
      fields: {
        ...plain({ category: 'hours', question: '¿Horario?', answer: 'De 8 a 5', keywords: ['horario', 'hora'] }),
        is_active: { value: false, shown: { is_active: false }, read: undefined }, // the list shows active entries only
      },
    },
    'PATCH /api/webhook-endpoints/:id': {
      record: webhookEndpoint,
      fields: plain({ url: 'https://agenda.example/after', events: ['payment.recorded'], description: 'Contabilidad', isActive: false }),
    },
    'PUT /api/canned-replies/:id': { record: cannedReply, fields: plain({ title: randomUUID(), body: 'Adiós' }) },
    'PATCH /api/assistant/settings': { record: fresh('/api/assistant/settings'), fields: plain({ send_names: true }) },
  };
}
