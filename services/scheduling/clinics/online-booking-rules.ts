// Whether patients can book online.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';

/** False also while the clinic is suspended and after the end of its subscription. */
export const acceptsOnlineBookings = ({ isActive, features, subscriptionExpiresAt }: ResolvedClinic, now: Date): boolean =>
  isActive && features.includes('online_booking') && !(subscriptionExpiresAt && timestampDate(subscriptionExpiresAt) <= now);
