// What the platform's operators do, with an operator key instead of a user's token.
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import { z } from 'zod';
import { type Area, PLANS } from '../http/route.ts';
import { email, maybe, text, uuid } from './schemas.ts';

const plan = z.enum(PLANS);
const expiresInDays = z.int().min(0).max(3650);

export const superadmin: Area = {
  prefix: '/api/superadmin',
  tag: 'Operators',
  about: 'Clinics, invite codes and figures over all clinics. Send X-Admin-Key.',
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/clinics',
      rpc: ClinicService.method.listClinics,
      access: 'superadmin',
      rate: 'api',
      summary: 'List clinics',
      unwrap: 'clinics',
    },
    {
      method: 'patch',
      path: '/api/superadmin/clinics/:clinicId',
      rpc: ClinicService.method.updateClinic,
      access: 'superadmin',
      rate: 'api',
      summary: 'Change plan, expiry or suspension',
      request: {
        params: z.object({ clinicId: uuid }),
        body: z.object({ plan: plan.nullish(), expiresInDays: expiresInDays.nullish(), is_active: z.boolean().nullish() }),
      },
      notFound: 'Clinic not found',
      errors: ['NOT_FOUND'],
      example: { plan: 'pro', expiresInDays: 30 },
    },
    {
      method: 'get',
      path: '/api/superadmin/invite-codes',
      rpc: InviteCodeService.method.listInviteCodes,
      access: 'superadmin',
      rate: 'api',
      summary: 'List invite codes',
      unwrap: 'invite_codes',
    },
    {
      method: 'post',
      path: '/api/superadmin/invite-codes',
      rpc: InviteCodeService.method.createInviteCode,
      access: 'superadmin',
      rate: 'api',
      summary: 'Make an invite code',
      request: {
        body: z.object({ email: maybe(email), plan: plan.nullish(), expiresInDays: expiresInDays.nullish(), notes: maybe(text(2000)) }),
      },
      status: 201,
      creates: true,
      example: { email: 'ana@sonrisa.example', plan: 'trial', expiresInDays: 30, notes: 'Met at the fair' },
    },
    {
      method: 'patch',
      path: '/api/superadmin/invite-codes/:id/revoke',
      rpc: InviteCodeService.method.revokeInviteCode,
      access: 'superadmin',
      rate: 'api',
      summary: 'Revoke an invite code',
      request: { params: z.object({ id: uuid }) },
      notFound: 'Invite code not found',
      errors: ['NOT_FOUND', 'INVITE_CODE_USED'],
    },
    {
      method: 'get',
      path: '/api/superadmin/stats',
      rpc: StatsService.method.getStats,
      access: 'superadmin',
      rate: 'api',
      summary: 'Figures over all clinics',
    },
  ],
};
