// Questions that the bot answers by itself.
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { text, uuid } from './schemas.ts';

const { method } = FaqService;

const category = z.enum(['parking', 'prices', 'payment', 'hours', 'general']);
const keywords = z.array(text(60)).max(30);
const one = { params: z.object({ id: uuid }) };
const notFound = 'FAQ not found';

export const faq: Area = {
  prefix: '/api/faq',
  tag: 'FAQ',
  about: 'What patients ask often, and what the bot answers.',
  routes: [
    {
      method: 'get',
      path: '/api/faq',
      rpc: method.listFaqs,
      access: 'user',
      rate: 'api',
      summary: 'List active entries',
      unwrap: 'faqs',
    },
    {
      method: 'post',
      path: '/api/faq',
      rpc: method.createFaq,
      access: 'user',
      rate: 'api',
      summary: 'Add an entry',
      request: { body: z.object({ category, question: text(300), answer: text(1000), keywords: keywords.default([]) }) },
      status: 201,
      creates: true,
      example: { category: 'parking', question: '¿Tienen parqueo?', answer: 'Sí, gratis, frente a la clínica.', keywords: ['parqueo', 'estacionamiento'] },
    },
    {
      method: 'put',
      path: '/api/faq/:id',
      rpc: method.updateFaq,
      access: 'user',
      rate: 'api',
      summary: 'Change an entry',
      request: {
        ...one,
        body: z.object({
          category: category.optional(),
          question: text(300).optional(),
          answer: text(1000).optional(),
          keywords: keywords.optional(),
          is_active: z.boolean().optional(),
        }),
      },
      notFound,
      errors: ['NOT_FOUND'],
      example: { answer: 'Sí, en el sótano del edificio.', is_active: true },
    },
    {
      method: 'delete',
      path: '/api/faq/:id',
      rpc: method.deleteFaq,
      access: 'admin',
      rate: 'api',
      summary: 'Remove an entry',
      request: one,
      notFound,
      errors: ['NOT_FOUND'],
    },
  ],
};
