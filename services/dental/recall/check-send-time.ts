// A campaign may not send in the quiet hours of the clinic: its messages would only wait for their end.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isClockTime } from '@clinic/lib/formats/clock-time.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { isWithin, localTime } from './rules/recall-day.ts';

/** Throws VALIDATION_ERROR when the time, in UTC-6, is within the quiet hours on the current date. parseCampaign() checks its form. */
export async function checkSendTime(app: App, call: Call, sendTime: string | undefined): Promise<void> {
  if (sendTime === undefined || !isClockTime(sendTime)) return;
  const { quietFrom, quietUntil } = await app.bot.getReminderSettings({}, callAs(call.caller));
  const local = localTime(sendTime, app.clock.now(), clinicOf(call).timezone);
  if (isWithin(local, quietFrom, quietUntil))
    invalid('send_time', `must be outside the quiet hours of the clinic, ${quietFrom} to ${quietUntil}; it is ${local} there`);
}
