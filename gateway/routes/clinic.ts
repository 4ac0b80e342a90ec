import { EntitlementService } from '@clinic/proto/identity/v1/entitlement_pb.js';
import { ClinicSettingsService } from '@clinic/proto/identity/v1/settings_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { ascii, cancellationText, clearable, noticeHours, phone, picture, text } from './schemas.ts';

const { method } = ClinicSettingsService;

const profile = {
  name: text(200).optional(),
  phone: clearable(phone),
  address: clearable(text(500)),
  city: clearable(text(100)),
  timezone: text(64).optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, for example USD')
    .optional(),
};
const chatId = clearable(ascii(64));
const token = clearable(ascii(2000));
const toggles = z.record(z.string().max(50), z.boolean());

export const clinic = area({
  prefix: '/api/clinics',
  tag: 'Clinic',
  about: 'The clinic of the signed-in user. All users can read; only admins can make changes.',
  all: { scope: 'clinic' },
  routes: [
    { method: 'get', path: '/api/clinics/settings', rpc: method.getSettings },
    {
      method: 'patch',
      path: '/api/clinics/settings',
      rpc: method.updateSettings,
      body: {
        ...profile,
        chat_phone_number_id: chatId,
        chat_business_account_id: chatId,
        chat_access_token: token,
        chat_verify_token: clearable(text(200)),
        bot_enabled: z.boolean().optional(),
        require_mfa_for_admins: z.boolean().optional(),
        cancellation_notice_hours: noticeHours.optional(),
        cancellation_text: clearable(cancellationText),
        booking_no_show_limit: z.int().min(0).max(100).optional(),
        booking_origins: z.array(z.string().max(200)).max(10).optional(),
      },
      example: { name: 'Clínica Sonrisa', phone: '+50322223333', city: 'San Salvador', timezone: 'America/El_Salvador', bot_enabled: false },
    },
    { method: 'get', path: '/api/clinics/me', rpc: method.getClinicInfo },
    {
      method: 'put',
      path: '/api/clinics/profile',
      rpc: method.updateProfile,
      body: profile,
      example: { name: 'Clínica Sonrisa', phone: '+50322223333', address: 'Calle Arce 12', city: 'San Salvador', currency: 'USD' },
    },
    {
      method: 'put',
      path: '/api/clinics/chat-config',
      rpc: method.updateChatConfig,
      summary: 'Set the chat configuration',
      body: { phoneNumberId: chatId, businessAccountId: chatId, accessToken: token, verifyToken: clearable(text(200)) },
      example: { verifyToken: 'a-word-of-your-own' },
    },
    { method: 'put', path: '/api/clinics/logo', rpc: method.setLogo, raw: picture },
    { method: 'delete', path: '/api/clinics/logo', rpc: method.removeLogo },
    { method: 'get', path: '/api/clinics/logos/:id', rpc: method.getLogo, notFound: 'Logo not found' },
    { method: 'get', path: '/api/clinics/features', rpc: EntitlementService.method.getFeatures, summary: 'Get the feature toggles' },
    {
      method: 'patch',
      path: '/api/clinics/features',
      rpc: EntitlementService.method.updateFeatures,
      summary: 'Update the feature toggles',
      body: { features: toggles.optional(), guards: toggles.optional() },
      errors: ['PLAN_UPGRADE_REQUIRED', 'DENTAL_CLINIC_REQUIRED'],
      example: { features: { analytics: false } },
    },
  ],
});

export const entitlements = area({
  prefix: '/api/entitlements',
  tag: 'Plan',
  about: 'What the plan of the clinic allows, and how much of it is used.',
  all: { scope: 'clinic' },
  routes: [{ method: 'get', path: '/api/entitlements', rpc: EntitlementService.method.getEntitlements, summary: 'Get the plan, limits, usage and features' }],
});
