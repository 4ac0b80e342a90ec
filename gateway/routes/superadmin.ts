import { PLANS } from '@clinic/lib/formats/plans.ts';
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { email, maybe, text } from './schemas.ts';

const plan = z.enum(PLANS);
const expiresInDays = z.int().min(0).max(3650);

export const superadmin = area({
  prefix: '/api/superadmin',
  tag: 'Operators',
  about: 'All clinics, invite codes and platform statistics. Send X-Admin-Key.',
  all: { scope: 'none' },
  routes: [
    { method: 'get', path: '/api/superadmin/clinics', rpc: ClinicService.method.listClinics, unwrap: 'clinics' },
    {
      method: 'patch',
      path: '/api/superadmin/clinics/:clinicId',
      rpc: ClinicService.method.updateClinic,
      summary: 'Update the plan, expiry or suspension of a clinic',
      body: { plan: plan.optional(), expiresInDays: expiresInDays.optional(), is_active: z.boolean().optional() },
      notFound: 'Clinic not found',
      example: { plan: 'pro', expiresInDays: 30 },
    },
    { method: 'get', path: '/api/superadmin/invite-codes', rpc: InviteCodeService.method.listInviteCodes, unwrap: 'invite_codes' },
    {
      method: 'post',
      path: '/api/superadmin/invite-codes',
      rpc: InviteCodeService.method.createInviteCode,
      body: { email: maybe(email), plan: maybe(plan), expiresInDays: maybe(expiresInDays), notes: maybe(text(2000)) },
      creates: true,
      example: { email: 'ana@sonrisa.example', plan: 'trial', expiresInDays: 30, notes: 'Met at the fair' },
    },
    {
      method: 'patch',
      path: '/api/superadmin/invite-codes/:id/revoke',
      rpc: InviteCodeService.method.revokeInviteCode,
      summary: 'Revoke an invite code',
      notFound: 'Invite code not found',
      errors: ['INVITE_CODE_USED'],
    },
    { method: 'get', path: '/api/superadmin/stats', rpc: StatsService.method.getStats, summary: 'Get the platform statistics' },
  ],
});
