// The features and permissions that a clinic has switched off. `online_booking` is off until the clinic switches it on.

/** An SQL array for the clinic `c` of the query. */
export const SWITCHED_OFF = `array(
    select t.feature from feature_toggles t where t.clinic_id = c.clinic_id and not t.enabled and t.feature <> 'online_booking'
    union all select 'online_booking' where not exists (
      select from feature_toggles t where t.clinic_id = c.clinic_id and t.feature = 'online_booking' and t.enabled))`;
