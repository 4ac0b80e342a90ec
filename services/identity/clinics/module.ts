// Clinics: the tenant record, settings, and changes by operators.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { ClinicSettingsService } from '@clinic/proto/identity/v1/settings_pb.js';
import { StateService } from '@clinic/proto/identity/v1/states_pb.js';
import type { App } from '../app.ts';
import { listAllClinics, toProto } from './clinics.sql.ts';
import { getClinicProfile } from './get-clinic-profile.ts';
import { getClinicInfo, getSettings } from './get-settings.ts';
import { listClinicStates } from './list-clinic-states.ts';
import { getLogo, removeLogo, setLogo } from './logo.ts';
import { onClinicChannelUpdated } from './on-clinic-channel-updated.ts';
import { updateChatConfig } from './update-chat-config.ts';
import { updateClinic } from './update-clinic.ts';
import { updateProfile } from './update-profile.ts';
import { updateSettings } from './update-settings.ts';

export const clinics: Module<App> = {
  rpcs: [
    rpcs(ClinicService, { listClinics: async ({ db }) => ({ clinics: (await listAllClinics(db)).map(toProto) }), updateClinic }),
    rpcs(ClinicProfileService, { getClinicProfile }),
    rpcs(ClinicSettingsService, { getSettings, updateSettings, getClinicInfo, updateProfile, updateChatConfig, setLogo, removeLogo, getLogo }),
    rpcs(StateService, { listClinicStates }),
  ],
  consumers: () => [onClinicChannelUpdated],
  personal: [{ table: 'clinics' }],
};
