// The RPC by which every service reports that it and its database work.
import { StatusService } from '@clinic/proto/common/v1/status_pb.js';
import { type Db, readSystem, sql } from '../db/db.ts';
import { implement } from '../rpc/pipeline.ts';
import type { Log } from '../telemetry/log.ts';

const checkStatement = sql<{ one: number }>('select 1 as one');

export const statusRpc = (app: { db: Db; log: Log }) =>
  implement({ ...app, constraints: {} }, StatusService, {
    async checkStatus({ db }) {
      await readSystem(db, checkStatement, []);
      return {};
    },
  });
