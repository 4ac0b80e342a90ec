// Whether patients can book online.
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

type Clinic = { isActive: boolean; features: string[]; subscriptionExpiresAt?: Timestamp | undefined };

/** False also while the clinic is suspended and after the end of its subscription. */
export const acceptsOnlineBookings = ({ isActive, features, subscriptionExpiresAt }: Clinic, now: Date): boolean =>
  isActive && features.includes('online_booking') && !(subscriptionExpiresAt && timestampDate(subscriptionExpiresAt) <= now);
