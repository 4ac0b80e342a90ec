// Changes what stands on the clinic's papers.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateProfileRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { changeProfile, readProfile } from './change-profile.ts';
import { toCard } from './clinic-settings.sql.ts';

export async function updateProfile(app: App, request: UpdateProfileRequest, call: Call) {
  return toCard(await changeProfile(app, call, readProfile(request)), app.publicUrl);
}
