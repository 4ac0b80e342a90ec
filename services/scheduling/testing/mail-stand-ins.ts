// Stand-ins for identity and messaging, for tests of regular mails: clinics and users, and the mails that were sent, each reference once.
import { randomUUID } from 'node:crypto';
import type { DescService } from '@bufbuild/protobuf';
import { found } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { clinicOf, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { MailService, type SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';

export type MailUser = { id: string; clinicId: string; email: string; fullName: string; isActive: boolean; appRole?: string };

const bare = { log: createLog('test', 'silent'), constraints: {} };
const answersNothing = <S extends DescService>(contract: S) =>
  Object.fromEntries(contract.methods.map(({ localName }) => [localName, async () => ({})])) as unknown as Handlers<typeof bare, S>;

export function mailStandIns() {
  const mails: SendMailRequest[] = [];
  const users: MailUser[] = [];
  const clinics = new Map<string, { isActive?: boolean; features?: string[]; guards?: string[]; timezone?: string }>();
  const identity = localTransport([
    implement(bare, AccessService, {
      ...answersNothing(AccessService),
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
    implement(bare, ClinicProfileService, { getClinicProfile: async () => ({ name: 'Clínica Dental Sonrisa', currency: 'USD' }) }),
    implement(bare, UserService, {
      ...answersNothing(UserService),
      getUser: async (_app, { id }, call) =>
        found(
          users.find((user) => user.id === id && user.clinicId === clinicOf(call).id),
          'User',
        ),
    }),
  ]);
  const messaging = localTransport([
    implement(bare, MailService, {
      sendMail: async (_app, mail) => {
        if (!mails.some(({ reference }) => reference === mail.reference)) mails.push(mail);
        return { id: randomUUID() };
      },
    }),
  ]);
  return { mails, users, clinics, identity, messaging };
}
