// Demo requests. They belong to no clinic, so all statements run as the system. A request is accepted or rejected once:
// lockDemoRequest() makes concurrent operators wait.
import { type Db, execute, readSystem, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export const STATUSES = ['pending', 'accepted', 'rejected'] as const;

type DemoRequestRow = {
  id: string;
  clinic_name: string;
  contact_name: string;
  email: string;
  phone: string | null;
  city: string | null;
  doctors_count: number | null;
  message: string | null;
  status: (typeof STATUSES)[number];
  invite_code_id: string | null;
  reviewed_at: Date | null;
  created_at: Date;
};

const COLUMNS = 'id, clinic_name, contact_name, email, phone, city, doctors_count, message, status, invite_code_id, reviewed_at, created_at';

const listStatement = sql<DemoRequestRow>(`
  select ${COLUMNS} from demo_requests where $1::text is null or status = $1 order by created_at desc, id desc`);

/** Newest first. */
export const listDemoRequestsBy = (db: Db, status: string | null) => readSystem(db, listStatement, [status]);

const countPendingStatement = sql<{ count: number }>(`select count(*)::int as count from demo_requests where status = 'pending'`);

export const countPending = async (db: Db) => (await readSystem(db, countPendingStatement, []))[0]?.count ?? 0;

const insertStatement = sql(`
  insert into demo_requests (id, clinic_name, contact_name, email, phone, city, doctors_count, message, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

export type NewDemoRequest = Pick<DemoRequestRow, 'id' | 'clinic_name' | 'contact_name' | 'email' | 'phone' | 'city' | 'doctors_count' | 'message'>;

export async function insertDemoRequest(tx: SystemTx, request: NewDemoRequest, now: Date): Promise<void> {
  const { id, clinic_name, contact_name, email, phone, city, doctors_count, message } = request;
  await execute(tx, insertStatement, [id, clinic_name, contact_name, email, phone, city, doctors_count, message, now]);
}

const lockStatement = sql<DemoRequestRow>(`select ${COLUMNS} from demo_requests where id = $1 for update`);

/** Locks the request. Concurrent operators wait, and then read the decision of the first one. */
export const lockDemoRequest = (tx: SystemTx, id: string) => row(tx, lockStatement, [id]);

const decideStatement = sql(`
  update demo_requests set status = $2, invite_code_id = $3, reviewed_at = $4 where id = $1 and status = 'pending'`);

/** False if the request was already accepted or rejected. */
export const decideDemoRequest = async (tx: SystemTx, id: string, status: 'accepted' | 'rejected', codeId: string | null, now: Date) =>
  (await execute(tx, decideStatement, [id, status, codeId, now])) === 1;

type InvitationRow = { email: string; contact_name: string; clinic_name: string; code: string; expires_at: Date };

const findInvitationStatement = sql<InvitationRow>(`
  select d.email, d.contact_name, d.clinic_name, c.code, c.expires_at
  from demo_requests d join invite_codes c on c.id = d.invite_code_id
  where d.id = $1 and c.used_at is null and c.revoked_at is null`);

/** Undefined if the invite code was used or revoked. */
export const findInvitation = async (db: Db, demoRequestId: string) => (await readSystem(db, findInvitationStatement, [demoRequestId]))[0];
