// Notices of operators to the users of all clinics. They belong to no clinic, so that all statements run as the system.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, readSystem, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { isUnderWay } from '../clinics/under-way.sql.ts';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;

type NoticeRow = { id: string; severity: (typeof SEVERITIES)[number]; message: string; starts_at: Date; ends_at: Date | null };

export function toProto({ starts_at, ends_at, ...notice }: NoticeRow) {
  return { ...notice, from: timestampFromDate(starts_at), until: toTimestamp(ends_at) };
}

const COLUMNS = 'id, severity, message, starts_at, ends_at';
const insertStatement = sql(`insert into operator_notices (${COLUMNS}, created_at) values ($1, $2, $3, $4, $5, $6)`);

export const insertNotice = (tx: SystemTx, { id, severity, message, starts_at, ends_at }: NoticeRow, now: Date) =>
  execute(tx, insertStatement, [id, severity, message, starts_at, ends_at, now]);

const deleteStatement = sql<NoticeRow>(`delete from operator_notices where id = $1 returning ${COLUMNS}`);

export const deleteNotice = (tx: SystemTx, id: string) => row(tx, deleteStatement, [id]);

const listStatement = sql<NoticeRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from operator_notices) counted
  left join lateral (select ${COLUMNS} from operator_notices order by created_at desc, id desc limit $1 offset $2) page on true`);

/** The newest first. */
export async function listNotices(db: Db, { limit, offset }: Page): Promise<{ notices: NoticeRow[]; total: number }> {
  const found = await readSystem(db, listStatement, [limit, offset]);
  return { notices: found.filter(({ id }) => id !== null), total: found[0]?.total ?? 0 };
}

const MAX_SHOWN = 10;
const shownStatement = sql<NoticeRow>(`
  select ${COLUMNS} from operator_notices where ${isUnderWay('$1')} order by created_at desc, id desc limit ${MAX_SHOWN}`);

/** The newest notices that users see now. */
export const listShownNotices = (db: Db, now: Date) => readSystem(db, shownStatement, [now]);
