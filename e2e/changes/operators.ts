// Changes by operators.
import { expect } from '@jest/globals';
import { inDays, inviteCode, newClinic } from '../clinic.ts';
import { acknowledgement, type Changes, type Context, NO_BODY, plain, type Target } from './change.ts';

/** A maintenance at a time when no test runs. */
const FAR = { from: '2199-01-01T00:00:00Z' };
const TEN_YEARS = new RegExp([3649, 3650, 3651].map(inDays).join('|'));

export async function operatorChanges({ api, body, get, find }: Context): Promise<Changes> {
  /** A clinic whose trial ends in 30 days, as operators see it. */
  const trialClinic = async (): Promise<Target> => {
    const { id } = await newClinic(api, { plan: 'trial' });
    return { params: { clinicId: id }, read: () => find(get('/api/superadmin/clinics', api.operator), id), as: api.operator };
  };
  const code = async (): Promise<Target> => {
    const { id } = await inviteCode(api);
    return { params: { id }, read: () => find(get('/api/superadmin/invite-codes', api.operator), id), as: api.operator };
  };

  return {
    'PATCH /api/superadmin/clinics/:clinicId': {
      record: trialClinic,
      fields: {
        plan: { value: 'pro', shown: { subscription_plan: 'pro' } },
        expiresInDays: { value: 3650, shown: { subscription_expires_at: expect.stringMatching(TEN_YEARS) } },
        is_active: { value: false, shown: { is_active: false } },
      },
    },
    'PATCH /api/superadmin/clinics/:clinicId/limits': {
      record: async () => {
        const { id } = await newClinic(api);
        return { params: { clinicId: id }, read: () => get(`/api/superadmin/clinics/${id}/limits`, api.operator), as: api.operator };
      },
      fields: plain({ read_only: true, requests_per_minute: 900, concurrent_requests: 9 }),
    },
    'PUT /api/superadmin/maintenance': {
      record: async () => {
        await body(200, api.put('/api/superadmin/maintenance', FAR, api.operator));
        return { read: () => get('/api/superadmin/maintenance', api.operator), as: api.operator };
      },
      with: FAR,
      replaces: true,
      fields: {
        from: { value: '2199-01-02T00:00:00Z', shown: { from: expect.stringMatching('2199-01-02') } },
        until: { value: '2199-01-03T00:00:00Z', shown: { until: expect.stringMatching('2199-01-03') } },
        message: { value: 'Mantenimiento', shown: { message: 'Mantenimiento' }, cleared: { message: '' } },
      },
    },
    'PATCH /api/superadmin/invite-codes/:id/revoke': {
      record: code,
      fields: { [NO_BODY]: { value: undefined, answered: acknowledgement, shown: { revoked_at: expect.any(String) } } },
    },
  };
}
