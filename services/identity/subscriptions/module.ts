// Plan and expiry of a clinic, features that it switches off, and warnings before its subscription expires.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { EntitlementService } from '@clinic/proto/identity/v1/entitlement_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import type { App } from '../app.ts';
import { applySubscription } from './apply-subscription.ts';
import { getFeatures, updateFeatures } from './features.ts';
import { getEntitlements } from './get-entitlements.ts';
import { mailExpiry } from './mail-expiry.ts';
import { onSubscriptionChanged } from './on-subscription-changed.ts';
import { warnOfExpiryJob } from './warn-of-expiry.ts';

export const subscriptions: Module<App> = {
  rpcs: [rpcs(SubscriptionService, { applySubscription }), rpcs(EntitlementService, { getEntitlements, getFeatures, updateFeatures })],
  consumers: (app) => [onSubscriptionChanged(app)],
  jobs: (app) => [mailExpiry(app), warnOfExpiryJob(app)],
  personal: [{ table: 'expiry_warnings' }, { table: 'applied_subscriptions' }, { table: 'feature_toggles' }],
};
