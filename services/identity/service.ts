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
import { createAccessTokens } from './access-tokens.ts';
import type { App } from './app.ts';
import { onClinicChannelUpdated } from './consumers/on-clinic-channel-updated.ts';
import { applySubscription } from './handlers/apply-subscription.ts';
import { createUser } from './handlers/create-user.ts';
import { endClinicSessions } from './handlers/end-clinic-sessions.ts';
import { endOtherSessions } from './handlers/end-other-sessions.ts';
import { endSession } from './handlers/end-session.ts';
import { exportAuditLog } from './handlers/export-audit-log.ts';
import { getClinicInfo } from './handlers/get-clinic-info.ts';
import { getClinicProfile } from './handlers/get-clinic-profile.ts';
import { getEntitlements } from './handlers/get-entitlements.ts';
import { getFeatures } from './handlers/get-features.ts';
import { getLogo } from './handlers/get-logo.ts';
import { getMe } from './handlers/get-me.ts';
import { getPhoto } from './handlers/get-photo.ts';
import { getSession } from './handlers/get-session.ts';
import { getSettings } from './handlers/get-settings.ts';
import { listAuditLog } from './handlers/list-audit-log.ts';
import { listClinicStates } from './handlers/list-clinic-states.ts';
import { listClinics } from './handlers/list-clinics.ts';
import { listOperatorActions } from './handlers/list-operator-actions.ts';
import { listSessions } from './handlers/list-sessions.ts';
import { listSigningKeys } from './handlers/list-signing-keys.ts';
import { listUsers } from './handlers/list-users.ts';
import { login } from './handlers/login.ts';
import { logout } from './handlers/logout.ts';
import { refreshSession } from './handlers/refresh-session.ts';
import { registerClinic } from './handlers/register-clinic.ts';
import { removeLogo } from './handlers/remove-logo.ts';
import { removePhoto } from './handlers/remove-photo.ts';
import { requestPasswordReset } from './handlers/request-password-reset.ts';
import { resetPassword } from './handlers/reset-password.ts';
import { resolveAccess } from './handlers/resolve-access.ts';
import { resolveAccessOfMany } from './handlers/resolve-access-of-many.ts';
import { resolveClinic } from './handlers/resolve-clinic.ts';
import { setLogo } from './handlers/set-logo.ts';
import { setPhoto } from './handlers/set-photo.ts';
import { setPin } from './handlers/set-pin.ts';
import { switchUser } from './handlers/switch-user.ts';
import { updateChatConfig } from './handlers/update-chat-config.ts';
import { updateClinic } from './handlers/update-clinic.ts';
import { updateFeatures } from './handlers/update-features.ts';
import { updateProfile } from './handlers/update-profile.ts';
import { updateSettings } from './handlers/update-settings.ts';
import { updateUser } from './handlers/update-user.ts';
import { updateUserRole } from './handlers/update-user-role.ts';
import { beginRecovery } from './jobs/begin-recovery.ts';
import { mailExpiry } from './jobs/mail-expiry.ts';
import { mailRecovery } from './jobs/mail-recovery.ts';
import { purgeSessions } from './jobs/purge-sessions.ts';
import { warnOfExpiryJob } from './jobs/warn-of-expiry.ts';
import { createPasswords } from './passwords.ts';
import personal from './personal.ts';
import { settings } from './settings.ts';

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
