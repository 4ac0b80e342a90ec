// Compares the audit log with its hash chain, to find rows that were changed, deleted or inserted later.
import { type Db, readSystem, sql } from '../db/db.ts';
import { counted } from '../formats/counted.ts';
import { type ReadArchives, readArchives } from './audit-archive.ts';
import { chainStart, linkHash, ROW_HASH } from './audit-chain.ts';

export type ClinicVerdict = {
  clinicId: string;
  /** Rows in the chain, including archived ones. */
  linked: number;
  archived: number;
  /** Rows that are not linked yet. */
  pending: number;
  /** Hash of the last link, in hexadecimal. An operator who stores it elsewhere can also detect a truncated or rebuilt chain. */
  head: string;
  faults: string[];
};

const PAGE = 5_000;
const MAX_FAULTS = 20;

const clinicsStatement = sql<{ clinic_id: string; unlinked: number; pending: number }>(`
  select c.clinic_id,
    (select count(*)::int from audit_pending p where p.clinic_id = c.clinic_id) as pending,
    (select count(*)::int from audit_log l where l.clinic_id = c.clinic_id
      and not exists (select from audit_chain a where a.clinic_id = l.clinic_id and a.audit_id = l.id)
      and not exists (select from audit_pending p where p.clinic_id = l.clinic_id and p.id = l.id)) as unlinked
  from (select clinic_id from audit_log union select clinic_id from audit_chain) c
  order by 1`);

/** The first link in the database. If its row is missing, it is the last archived link. */
const firstStatement = sql<{ seq: number; hash: Buffer; has_row: boolean }>(`
  select a.seq, a.hash, exists (select from audit_log l where l.clinic_id = a.clinic_id and l.id = a.audit_id) as has_row
  from audit_chain a where a.clinic_id = $1 order by a.seq limit 1`);

const linksStatement = sql<{ seq: number; audit_id: string; row_hash: Buffer; hash: Buffer; actual: Buffer | null }>(`
  select a.seq, a.audit_id, a.row_hash, a.hash, case when l.id is not null then ${ROW_HASH} end as actual
  from audit_chain a left join audit_log l on l.clinic_id = a.clinic_id and l.id = a.audit_id
  where a.clinic_id = $1 and a.seq > $2 order by a.seq limit ${PAGE}`);

/** The number of links of a clinic's chain, and the hash of the last one, at an earlier verification. */
export type KnownHead = { linked: number; head: string };

const NO_ARCHIVES: ReadArchives = readArchives(() => '');

/**
 * Verifies the chain of each clinic of a service. `known`: heads of an earlier verification by clinic id. As the system, because it reads the
 * rows of all clinics.
 */
export async function verifyAudit(db: Db, known: Map<string, KnownHead> = new Map(), archives = NO_ARCHIVES): Promise<ClinicVerdict[]> {
  const clinics = await readSystem(db, clinicsStatement, []);
  const verdicts: ClinicVerdict[] = [];
  for (const { clinic_id, pending, unlinked } of clinics) {
    const faults = unlinked > 0 ? [`${counted(unlinked, 'row')} not in the chain`] : [];
    verdicts.push({ ...(await verifyChain(db, clinic_id, faults, known.get(clinic_id), archives)), pending });
  }
  const missing = [...known.keys()].filter((clinicId) => !clinics.some(({ clinic_id }) => clinic_id === clinicId));
  const absent = { linked: 0, archived: 0, pending: 0, head: '', faults: ['the whole audit log is missing'] };
  return [...verdicts, ...missing.map((clinicId) => ({ clinicId, ...absent }))];
}

async function verifyChain(
  db: Db,
  clinicId: string,
  faults: string[],
  known: KnownHead | undefined,
  archives: ReadArchives,
): Promise<Omit<ClinicVerdict, 'pending'>> {
  let linked = 0;
  let head = chainStart(clinicId);
  let last = 0;
  const fault = (text: string) => {
    if (faults.length < MAX_FAULTS) faults.push(text);
  };
  const follow = (seq: number, hash: Buffer) => {
    if (seq === known?.linked && hash.toString('hex') !== known.head) fault(`link ${seq} differs from the stored head`);
    [head, last] = [hash, seq];
    linked += 1;
  };
  const [first] = await readSystem(db, firstStatement, [clinicId]);
  const archived = first ? first.seq - (first.has_row ? 1 : 0) : 0;
  for await (const rowHash of archives(clinicId, archived)) follow(last + 1, linkHash(head, last + 1, rowHash));
  if (last < archived) fault(`links ${last + 1} to ${archived} are neither in the database nor in an archive`);
  else if (first && !first.has_row && !head.equals(first.hash)) fault(`the archive does not lead to link ${archived}`);
  if (first && !first.has_row) head = first.hash;
  linked = last = archived;
  for (let page = PAGE; page === PAGE; ) {
    const links = await readSystem(db, linksStatement, [clinicId, last]);
    for (const { seq, audit_id, row_hash, hash, actual } of links) {
      if (seq !== last + 1) fault(`links ${last + 1} to ${seq - 1} are missing`);
      if (!actual) fault(`row ${audit_id} of link ${seq} is missing`);
      else if (!actual.equals(row_hash)) fault(`row ${audit_id} of link ${seq} was changed`);
      if (seq === last + 1 && !linkHash(head, seq, row_hash).equals(hash)) fault(`link ${seq} does not follow link ${seq - 1}`);
      follow(seq, hash);
    }
    page = links.length;
  }
  if (known && linked < known.linked) fault(`${counted(known.linked - linked, 'link')} missing at the end`);
  return { clinicId, linked, archived, head: head.toString('hex'), faults };
}
