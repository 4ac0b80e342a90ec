// Texts that people at the desk send often.
import { CannedReplyService } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { text, uuid } from './schemas.ts';

const { method } = CannedReplyService;

const one = { params: z.object({ id: uuid }) };
const notFound = 'Canned reply not found';

export const cannedReplies: Area = {
  prefix: '/api/canned-replies',
  tag: 'Canned replies',
  about: 'Texts to answer patients with.',
  routes: [
    {
      method: 'get',
      path: '/api/canned-replies',
      rpc: method.listCannedReplies,
      access: 'user',
      rate: 'api',
      summary: 'List canned replies',
      unwrap: 'canned_replies',
    },
    {
      method: 'post',
      path: '/api/canned-replies',
      rpc: method.createCannedReply,
      access: 'user',
      rate: 'api',
      summary: 'Add a canned reply',
      request: { body: z.object({ title: text(80), body: text(4096) }) },
      status: 201,
      creates: true,
      errors: ['CANNED_REPLY_EXISTS'],
      example: { title: 'Ubicación', body: 'Estamos en la Colonia Escalón, 79 Avenida Norte.' },
    },
    {
      method: 'put',
      path: '/api/canned-replies/:id',
      rpc: method.updateCannedReply,
      access: 'user',
      rate: 'api',
      summary: 'Change a canned reply',
      request: { ...one, body: z.object({ title: text(80).optional(), body: text(4096).optional() }) },
      notFound,
      errors: ['NOT_FOUND', 'CANNED_REPLY_EXISTS'],
      example: { body: 'Estamos en la Colonia San Benito.' },
    },
    {
      method: 'delete',
      path: '/api/canned-replies/:id',
      rpc: method.deleteCannedReply,
      access: 'user',
      rate: 'api',
      summary: 'Remove a canned reply',
      request: one,
      notFound,
      errors: ['NOT_FOUND'],
    },
  ],
};
