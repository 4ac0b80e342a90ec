// Whether patients can book online.
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { hasExpired } from '@clinic/lib/formats/plans.ts';

type Clinic = { plan: string; isActive: boolean; features: string[]; subscriptionExpiresAt?: Timestamp | undefined };

/** False also while the clinic is suspended and after the end of its subscription. */
export const acceptsOnlineBookings = ({ plan, isActive, features, subscriptionExpiresAt }: Clinic, now: Date): boolean =>
  isActive && features.includes('online_booking') && !hasExpired(plan, subscriptionExpiresAt, now);
