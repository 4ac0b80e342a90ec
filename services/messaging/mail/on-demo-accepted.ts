// Mails the invite code of an accepted demo request. Address and code are not in the event; they are read from platform and stored encrypted.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { spanishInstant } from '@clinic/lib/formats/day-text.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import { type DemoAccepted, DemoAcceptedSchema } from '@clinic/proto/events/v1/platform_pb.js';
import type { App } from '../app.ts';
import { asMessaging } from '../clinics/clinics.ts';
import { storeMail } from './store-mail.ts';

export const onDemoAccepted = (app: App) =>
  subscribe(
    'demo-accepted',
    'platform',
    DemoAcceptedSchema,
    async (tx, { demoRequestId: id, expiresAt }, _envelope, invitation) => {
      if (!expiresAt || !invitation) return;
      const { email, contactName, clinicName, inviteCode } = invitation;
      const parameters = {
        name: contactName,
        clinic: clinicName,
        code: inviteCode,
        // Browsers do not send the fragment, so the code appears in no log.
        link: `${app.publicUrl}/register#code=${inviteCode}`,
        expires: spanishInstant(timestampDate(expiresAt), DEFAULT_ZONE),
      };
      await storeMail(app, tx, { kind: 'demo_accepted', to: email, parameters, reference: id });
    },
    {
      /** Undefined if the code was revoked or redeemed meanwhile, or has expired: a stream that is read from its beginning contains such events. */
      read: async ({ demoRequestId: id, expiresAt }: DemoAccepted) =>
        expiresAt && timestampDate(expiresAt) > app.clock.now() ? ifFound(app.platform.demoRequests.getDemoInvitation({ id }, asMessaging())) : undefined,
    },
  );
