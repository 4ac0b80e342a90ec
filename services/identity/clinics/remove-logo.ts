// Removes the clinic's logo.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RemoveLogoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { changeLogo } from './change-logo.ts';

export async function removeLogo(app: App, _request: RemoveLogoRequest, call: Call) {
  return changeLogo(app, call, undefined);
}
