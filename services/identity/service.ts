// Identity's wiring.
import path from 'node:path';
import { auditRpc } from '@clinic/lib/audit-rpc.ts';
import { dataSubjectRpc } from '@clinic/lib/data-subject.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { AuditLogService } from '@clinic/proto/identity/v1/audit_pb.js';
import { ClinicService } from '@clinic/proto/identity/v1/clinic_pb.js';
import { ClinicSessionService } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { EntitlementService } from '@clinic/proto/identity/v1/entitlement_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { RecoveryService } from '@clinic/proto/identity/v1/recovery_pb.js';
import { SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import { ClinicSettingsService } from '@clinic/proto/identity/v1/settings_pb.js';
import { StateService } from '@clinic/proto/identity/v1/states_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { createClient } from '@connectrpc/connect';
import { createAccessTokens } from './access/access-tokens.ts';
import { listSigningKeys } from './access/list-signing-keys.ts';
import { resolveAccess } from './access/resolve-access.ts';
import { resolveAccessOfMany } from './access/resolve-access-of-many.ts';
import { resolveClinic } from './access/resolve-clinic.ts';
import type { App } from './app.ts';
import { exportAuditLog } from './audit-log/export-audit-log.ts';
import { listAuditLog } from './audit-log/list-audit-log.ts';
import { listOperatorActions } from './audit-log/list-operator-actions.ts';
import { getClinicInfo } from './clinics/get-clinic-info.ts';
import { getClinicProfile } from './clinics/get-clinic-profile.ts';
import { getLogo } from './clinics/get-logo.ts';
import { getSettings } from './clinics/get-settings.ts';
import { listClinicStates } from './clinics/list-clinic-states.ts';
import { listClinics } from './clinics/list-clinics.ts';
import { onClinicChannelUpdated } from './clinics/on-clinic-channel-updated.ts';
import { removeLogo } from './clinics/remove-logo.ts';
import { setLogo } from './clinics/set-logo.ts';
import { updateChatConfig } from './clinics/update-chat-config.ts';
import { updateClinic } from './clinics/update-clinic.ts';
import { updateProfile } from './clinics/update-profile.ts';
import { updateSettings } from './clinics/update-settings.ts';
import { createPasswords } from './credentials/passwords.ts';
import { setPin } from './credentials/set-pin.ts';
import personal from './personal.ts';
import { beginRecovery } from './recovery/begin-recovery.ts';
import { mailRecovery } from './recovery/mail-recovery.ts';
import { purgeSessions } from './recovery/purge-sessions.ts';
import { requestPasswordReset } from './recovery/request-password-reset.ts';
import { resetPassword } from './recovery/reset-password.ts';
import { registerClinic } from './registration/register-clinic.ts';
import { endClinicSessions } from './sessions/end-clinic-sessions.ts';
import { endOtherSessions } from './sessions/end-other-sessions.ts';
import { endSession } from './sessions/end-session.ts';
import { getMe } from './sessions/get-me.ts';
import { getSession } from './sessions/get-session.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { login } from './sessions/login.ts';
import { logout } from './sessions/logout.ts';
import { refreshSession } from './sessions/refresh-session.ts';
import { switchUser } from './sessions/switch-user.ts';
import { settings } from './settings.ts';
import { applySubscription } from './subscriptions/apply-subscription.ts';
import { getEntitlements } from './subscriptions/get-entitlements.ts';
import { getFeatures } from './subscriptions/get-features.ts';
import { mailExpiry } from './subscriptions/mail-expiry.ts';
import { updateFeatures } from './subscriptions/update-features.ts';
import { warnOfExpiryJob } from './subscriptions/warn-of-expiry.ts';
import { createUser } from './users/create-user.ts';
import { getPhoto } from './users/get-photo.ts';
import { listUsers } from './users/list-users.ts';
import { removePhoto } from './users/remove-photo.ts';
import { setPhoto } from './users/set-photo.ts';
import { updateUser } from './users/update-user.ts';
import { updateUserRole } from './users/update-user-role.ts';

const NEIGHBOURS = ['billing', 'dental', 'messaging', 'platform', 'scheduling'];

export default {
  name: 'identity',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  neighbours: NEIGHBOURS,
  personal,
  async create({ settings: { ENCRYPTION_KEYS, JWT_PRIVATE_KEYS, PUBLIC_URL }, db, clock, log, neighbour }) {
    const app: App = {
      db,
      clock,
      log,
      constraints: { users_email_unique: 'EMAIL_TAKEN', clinics_invite_code_unique: 'INVALID_INVITE_CODE' },
      keys: ENCRYPTION_KEYS,
      passwords: await createPasswords(),
      accessTokens: createAccessTokens(JWT_PRIVATE_KEYS),
      publicUrl: PUBLIC_URL,
      inviteCodes: createClient(InviteCodeService, neighbour('platform')),
      channels: createClient(ChannelService, neighbour('messaging')),
      mail: createClient(MailService, neighbour('messaging')),
      doctors: createClient(DoctorService, neighbour('scheduling')),
      auditLogs: [
        { service: 'identity', log: createClient(AuditService, localTransport([auditRpc({ db, log })])) },
        ...NEIGHBOURS.map((service) => ({ service, log: createClient(AuditService, neighbour(service)) })),
      ],
    };
    return {
      implementations: [
        dataSubjectRpc({ db, log, keys: ENCRYPTION_KEYS, personal }),
        implement(app, SessionService, {
          registerClinic,
          login,
          refreshSession,
          logout,
          getMe,
          switchUser,
          listSessions,
          getSession,
          endSession,
          endOtherSessions,
        }),
        implement(app, AccessService, { resolveAccess, resolveAccessOfMany, resolveClinic, listSigningKeys }),
        implement(app, ClinicService, { listClinics, updateClinic }),
        implement(app, ClinicProfileService, { getClinicProfile }),
        implement(app, UserService, { listUsers, createUser, updateUser, updateUserRole, setPhoto, removePhoto, getPhoto, setPin }),
        implement(app, ClinicSettingsService, {
          getSettings,
          updateSettings,
          getClinicInfo,
          updateProfile,
          updateChatConfig,
          setLogo,
          removeLogo,
          getLogo,
        }),
        implement(app, EntitlementService, { getEntitlements, getFeatures, updateFeatures }),
        implement(app, AuditLogService, { listAuditLog, exportAuditLog }),
        implement(app, RecoveryService, { requestPasswordReset, resetPassword }),
        implement(app, SubscriptionService, { applySubscription }),
        implement(app, ClinicSessionService, { endClinicSessions }),
        implement(app, StateService, { listClinicStates, listOperatorActions }),
      ],
      consumers: [onClinicChannelUpdated],
      jobs: [beginRecovery(app), mailRecovery(app), mailExpiry(app), purgeSessions(app), warnOfExpiryJob(app)],
    };
  },
} satisfies ServiceModule<typeof settings>;
