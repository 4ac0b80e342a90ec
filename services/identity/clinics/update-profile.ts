// Updates the profile that printed documents show.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateProfileRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { changeProfile, parseProfile } from './change-profile.ts';
import { toProfile } from './clinic-settings.sql.ts';

export async function updateProfile(app: App, request: UpdateProfileRequest, call: Call) {
  return toProfile(await changeProfile(app, call, parseProfile(request)), app.publicUrl);
}
