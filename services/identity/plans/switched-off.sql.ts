// The features that a clinic has switched off, and those that are off until it switches them on.

/** Of the row `c` of clinics. */
export const SWITCHED_OFF = `array(
    select t.feature from feature_toggles t where t.clinic_id = c.clinic_id and not t.enabled and t.feature <> 'online_booking'
    union all select 'online_booking' where not exists (
      select from feature_toggles t where t.clinic_id = c.clinic_id and t.feature = 'online_booking' and t.enabled))`;
