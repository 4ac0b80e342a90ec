// Whether a paid subscription renews by itself.

/** SQL for whether the payment provider renews the subscription of a clinic at its expiry. The argument is the alias of `clinics`. */
export const renews = (clinics: string) => `exists (select from applied_subscriptions paid
  where paid.clinic_id = ${clinics}.clinic_id and paid.renewing_revision = paid.revision
    and (paid.plan, paid.expires_at) = (${clinics}.subscription_plan, ${clinics}.subscription_expires_at))`;
