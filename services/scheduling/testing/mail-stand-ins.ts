// Stand-ins for identity and messaging, for tests of regular mails: clinics and users, and the mails that were sent, each reference once.
import { randomUUID } from 'node:crypto';
import { found } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { MailService, type SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import { fakeOf } from './fake-of.ts';

export type MailUser = { id: string; clinicId: string; email: string; fullName: string; isActive: boolean; appRole?: string };

export function mailStandIns() {
  const mails: SendMailRequest[] = [];
  const users: MailUser[] = [];
  const clinics = new Map<string, { isActive?: boolean; features?: string[]; guards?: string[]; timezone?: string }>();
  const identity = localTransport([
    fakeOf(AccessService, {
      resolveClinic: async (_app, { clinicId }) => ({
        clinicId,
        isActive: true,
        plan: 'clinica',
        timezone: 'America/El_Salvador',
        country: 'SV',
        features: ['daily_agenda', 'analytics'],
        ...clinics.get(clinicId),
      }),
    }),
    fakeOf(ClinicProfileService, { getClinicProfile: async () => ({ name: 'Clínica Dental Sonrisa', currency: 'USD' }) }),
    fakeOf(UserService, {
      getUser: async (_app, { id }, call) =>
        found(
          users.find((user) => user.id === id && user.clinicId === clinicOf(call).id),
          'User',
        ),
    }),
  ]);
  const messaging = localTransport([
    fakeOf(MailService, {
      sendMail: async (_app, mail) => {
        if (!mails.some(({ reference }) => reference === mail.reference)) mails.push(mail);
        return { id: randomUUID() };
      },
    }),
  ]);
  return { mails, users, clinics, identity, messaging };
}
