// The texts of the bot that a clinic may replace.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListBotTextsRequest } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { toBotTexts } from './bot-texts.sql.ts';

export function listBotTexts(app: App, _request: ListBotTextsRequest, call: Call) {
  return inTenant(app.db, clinicOf(call).id, toBotTexts);
}
