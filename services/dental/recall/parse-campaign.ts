// Validates the fields of a recall campaign.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { checkTemplate } from './rules/template.ts';
import type { CampaignFields } from './sql/recall-campaigns.sql.ts';

export type CampaignInput = {
  name: string;
  messageTemplate: string;
  procedureType?: string | undefined;
  recallIntervalDays?: number | undefined;
  sendTime?: string | undefined;
  maxAttempts?: number | undefined;
  retryIntervalDays?: number | undefined;
  isActive?: boolean | undefined;
};

/** The time as it is stored, HH:MM:SS. */
export function parseSendTime(text: string): string {
  if (!isClockTime(text)) invalid('send_time', 'must be HH:MM or HH:MM:SS');
  return text.length === 5 ? `${text}:00` : text;
}

/** Throws INVALID_TEMPLATE_VARS when the message contains an unknown variable. */
export function parseCampaign(input: CampaignInput): CampaignFields {
  const message_template = parseText('message_template', input.messageTemplate, 1000);
  const fields = {
    name: parseText('name', input.name, 200),
    procedure_type: parseOptionalText('procedure_type', input.procedureType, 200),
    recall_interval_days: parseInteger('recall_interval_days', input.recallIntervalDays ?? 180, 1, 3650),
    message_template,
    send_time: parseSendTime(input.sendTime ?? '09:00:00'),
    max_attempts: parseInteger('max_attempts', input.maxAttempts ?? 2, 1, 5),
    retry_interval_days: parseInteger('retry_interval_days', input.retryIntervalDays ?? 7, 1, 365),
    is_active: input.isActive ?? true,
  };
  checkTemplate(message_template);
  return fields;
}
