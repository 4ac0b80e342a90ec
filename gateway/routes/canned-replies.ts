import { CannedReplyService } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import { area } from './area.ts';
import { text } from './schemas.ts';

const { method } = CannedReplyService;

export const cannedReplies = area({
  prefix: '/api/canned-replies',
  tag: 'Canned replies',
  about: 'Prepared texts for answering patients.',
  all: { scope: 'conversations', notFound: 'Canned reply not found' },
  routes: [
    { method: 'get', path: '/api/canned-replies', rpc: method.listCannedReplies, unwrap: 'canned_replies' },
    {
      method: 'post',
      path: '/api/canned-replies',
      rpc: method.createCannedReply,
      body: { title: text(80), body: text(4096) },
      creates: true,
      errors: ['CANNED_REPLY_EXISTS'],
      example: { title: 'Ubicación', body: 'Estamos en la Colonia Escalón, 79 Avenida Norte.' },
    },
    {
      method: 'put',
      path: '/api/canned-replies/:id',
      rpc: method.updateCannedReply,
      body: { title: text(80).optional(), body: text(4096).optional() },
      errors: ['CANNED_REPLY_EXISTS'],
      example: { body: 'Estamos en la Colonia San Benito.' },
    },
    { method: 'delete', path: '/api/canned-replies/:id', rpc: method.deleteCannedReply },
  ],
});
