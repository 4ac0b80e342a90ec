// The clinic itself: settings, profile, logo, features, and what its plan allows.
import { EntitlementService } from '@clinic/proto/identity/v1/entitlement_pb.js';
import { ClinicSettingsService } from '@clinic/proto/identity/v1/settings_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { clearable, phone, text, uuid } from './schemas.ts';
import { picture } from './users.ts';

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
const chatId = clearable(text(64));
const token = clearable(text(2000));

export const clinic: Area = {
  prefix: '/api/clinics',
  tag: 'Clinic',
  about: 'The clinic of the signed-in user. Everyone reads, admins change.',
  routes: [
    { method: 'get', path: '/api/clinics/settings', rpc: method.getSettings, access: 'user', rate: 'api', summary: 'Get settings' },
    {
      method: 'patch',
      path: '/api/clinics/settings',
      rpc: method.updateSettings,
      access: 'admin',
      rate: 'api',
      summary: 'Change settings',
      request: {
        body: z.object({
          ...profile,
          chat_phone_number_id: chatId,
          chat_business_account_id: chatId,
          chat_access_token: token,
          chat_verify_token: clearable(text(200)),
          bot_enabled: z.boolean().optional(),
        }),
      },
      example: { name: 'Clínica Sonrisa', phone: '+50322223333', city: 'San Salvador', timezone: 'America/El_Salvador', bot_enabled: false },
    },
    { method: 'get', path: '/api/clinics/me', rpc: method.getClinicInfo, access: 'user', rate: 'api', summary: 'Get my clinic' },
    {
      method: 'put',
      path: '/api/clinics/profile',
      rpc: method.updateProfile,
      access: 'admin',
      rate: 'api',
      summary: 'Change the profile',
      request: { body: z.object(profile) },
      example: { name: 'Clínica Sonrisa', phone: '+50322223333', address: 'Calle Arce 12', city: 'San Salvador', currency: 'USD' },
    },
    {
      method: 'put',
      path: '/api/clinics/chat-config',
      rpc: method.updateChatConfig,
      access: 'admin',
      rate: 'api',
      summary: 'Set the chat configuration',
      request: { body: z.object({ phoneNumberId: chatId, businessAccountId: chatId, accessToken: token, verifyToken: clearable(text(200)) }) },
      example: { verifyToken: 'a-word-of-your-own' },
    },
    {
      method: 'put',
      path: '/api/clinics/logo',
      rpc: method.setLogo,
      access: 'admin',
      rate: 'api',
      summary: 'Set the logo',
      request: { raw: picture },
    },
    { method: 'delete', path: '/api/clinics/logo', rpc: method.removeLogo, access: 'admin', rate: 'api', summary: 'Remove the logo' },
    {
      method: 'get',
      path: '/api/clinics/logos/:id',
      rpc: method.getLogo,
      access: 'public',
      rate: 'api',
      summary: 'Show a logo',
      request: { params: z.object({ id: uuid }) },
      notFound: 'Logo not found',
      errors: ['NOT_FOUND'],
    },
    { method: 'get', path: '/api/clinics/features', rpc: EntitlementService.method.getFeatures, access: 'user', rate: 'api', summary: 'Get feature toggles' },
    {
      method: 'patch',
      path: '/api/clinics/features',
      rpc: EntitlementService.method.updateFeatures,
      access: 'admin',
      rate: 'api',
      summary: 'Switch features off and on',
      request: { body: z.object({ features: z.record(z.string().max(50), z.boolean()) }) },
      errors: ['PLAN_UPGRADE_REQUIRED'],
      example: { features: { analytics: false } },
    },
  ],
};

export const entitlements: Area = {
  prefix: '/api/entitlements',
  tag: 'Plan',
  about: 'What the plan of the clinic allows, and how much of it is used.',
  routes: [
    {
      method: 'get',
      path: '/api/entitlements',
      rpc: EntitlementService.method.getEntitlements,
      access: 'user',
      rate: 'api',
      summary: 'Get plan, limits, usage and features',
    },
  ],
};
