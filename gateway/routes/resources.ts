import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { pages, text } from './schemas.ts';

const { method } = ResourceService;
const kind = z.enum(['chair', 'room']);

export const resources = area({
  prefix: '/api/resources',
  tag: 'Chairs and rooms',
  about: 'Chairs and rooms. Two appointments never occupy the same one at the same time.',
  all: { scope: 'appointments', notFound: 'Resource not found' },
  routes: [
    { method: 'get', path: '/api/resources', rpc: method.listResources, query: { kind: kind.optional(), ...pages } },
    {
      method: 'post',
      path: '/api/resources',
      rpc: method.createResource,
      body: { name: text(80), kind },
      creates: true,
      errors: ['RESOURCE_EXISTS'],
      example: { name: 'Sillón 1', kind: 'chair' },
    },
    {
      method: 'patch',
      path: '/api/resources/:id',
      rpc: method.updateResource,
      body: { name: text(80) },
      errors: ['RESOURCE_EXISTS'],
      example: { name: 'Sillón 2' },
    },
    { method: 'delete', path: '/api/resources/:id', rpc: method.deleteResource },
  ],
});
