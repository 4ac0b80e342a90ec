// Updates the settings. Messaging is called first: if it rejects the chat fields, identity changes nothing.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { MAX_CANCELLATION_TEXT, parseNoticeHours } from '@clinic/lib/formats/cancellation.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateSettingsRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { toSettings } from './clinic-settings.sql.ts';
import { changeProfile, parseProfile } from './update-profile.ts';

const MAX_ORIGINS = 10;

/** Origins in the form of the CSP directive frame-ancestors. */
function parseOrigins(path: string, origins: string[]): string[] {
  if (origins.length > MAX_ORIGINS) invalid(path, `must have at most ${MAX_ORIGINS} items`);
  const wrong = origins.findIndex((origin) => !/^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin);
  return wrong < 0 ? [...new Set(origins)] : invalid(`${path}.${wrong}`, 'must be an origin, for example https://www.example.com');
}

export async function updateSettings(app: App, request: UpdateSettingsRequest, call: Call) {
  const { chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken, botEnabled, requireMfaForAdmins } = request;
  const { cancellationNoticeHours, cancellationText, bookingNoShowLimit, bookingOrigins } = request;
  const changes = {
    ...(await parseProfile(app.db, request, clinicOf(call).country)),
    ...(requireMfaForAdmins !== undefined && { require_mfa_for_admins: requireMfaForAdmins }),
    ...(cancellationNoticeHours !== undefined && {
      cancellation_notice_hours: parseNoticeHours('cancellation_notice_hours', cancellationNoticeHours),
    }),
    ...(cancellationText !== undefined && { cancellation_text: parseOptionalText('cancellation_text', cancellationText, MAX_CANCELLATION_TEXT) }),
    ...(bookingNoShowLimit !== undefined && { booking_no_show_limit: parseInteger('booking_no_show_limit', bookingNoShowLimit, 0, 100) }),
    ...(bookingOrigins && { booking_origins: parseOrigins('booking_origins', bookingOrigins.origins) }),
  };
  const chat = { chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken, botEnabled };
  const changesChat = Object.values(chat).some((value) => value !== undefined);
  const caller = callAs(call.caller);
  const channel = await (changesChat ? app.channels.updateChannelSettings(chat, caller) : app.channels.getChannelSettings({}, caller));
  return toSettings(await changeProfile(app, call, changes), channel, app.publicUrl);
}
