import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { text } from './schemas.ts';

const { method } = FaqService;

const category = z.enum(['parking', 'prices', 'payment', 'hours', 'general']);
const keywords = z.array(text(60)).max(30);

export const faq = area({
  prefix: '/api/faq',
  tag: 'FAQ',
  about: 'Frequently asked questions, and the answers that the bot gives to patients.',
  all: { scope: 'conversations', notFound: 'FAQ not found' },
  routes: [
    { method: 'get', path: '/api/faq', rpc: method.listFaqs, unwrap: 'faqs' },
    {
      method: 'post',
      path: '/api/faq',
      rpc: method.createFaq,
      body: { category, question: text(300), answer: text(1000), keywords: keywords.nullable().default([]) },
      creates: true,
      example: { category: 'parking', question: '¿Tienen parqueo?', answer: 'Sí, gratis, frente a la clínica.', keywords: ['parqueo', 'estacionamiento'] },
    },
    {
      method: 'put',
      path: '/api/faq/:id',
      rpc: method.updateFaq,
      body: {
        category: category.optional(),
        question: text(300).optional(),
        answer: text(1000).optional(),
        keywords: keywords.optional(),
        is_active: z.boolean().optional(),
      },
      example: { answer: 'Sí, en el sótano del edificio.', is_active: true },
    },
    { method: 'delete', path: '/api/faq/:id', rpc: method.deleteFaq },
  ],
});
