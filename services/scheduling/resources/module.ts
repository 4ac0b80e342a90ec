// Chairs and rooms that appointments take.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import type { App } from '../app.ts';
import { createResource, deleteResource, listResources, updateResource } from './manage-resources.ts';

export const resources: Module<App> = {
  rpcs: [rpcs(ResourceService, { listResources, createResource, updateResource, deleteResource })],
  personal: [{ table: 'resources' }],
};
