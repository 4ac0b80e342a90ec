// The merges of patients that a service has handled, in a table of its own.
import { type Db, execute, readTenant, row, type Statement, type SystemTx } from '../db/db.ts';

/** A merge; `merge_id` is a UUIDv7, so that merges are in the order in which they were made. */
export type StoredMerge = { clinic_id: string; merge_id: string; kept_id: string; merged_id: string };

type Options<Column extends string> = {
  table: string;
  /** Name of the lock. Processes of other releases must use the same one. */
  lock: string;
  /** The columns with the ids of the records that a merge has moved. */
  columns: readonly Column[];
};

/** `toStatement` calls sql(): in the file of the service, so that the check of all statements prepares them in its schema. */
export function mergesIn<Column extends string>(
  { table, lock, columns }: Options<Column>,
  toStatement: <Row extends object = Record<string, never>>(text: string) => Statement<Row>,
) {
  type Moved = Record<Column, string[]>;
  type MergeRow = StoredMerge & Moved;
  const ofEach = (to: (column: string, ids: string) => string) => columns.map((column, index) => to(column, `$${index + 3}::uuid[]`));
  const movedValues = ({ clinic_id, merge_id }: StoredMerge, moved: Moved) => [clinic_id, merge_id, ...columns.map((column) => moved[column])];

  const lockStatement = toStatement(`select pg_advisory_xact_lock(hashtextextended('${lock} ' || $1::text, 0))`);
  const insertStatement = toStatement(`
    insert into ${table} (clinic_id, merge_id, kept_id, merged_id, undone) values ($1, $2, $3, $4, $5) on conflict do nothing`);
  // The last merge in which the patient took part decides: an earlier one was undone before it, even if the event of its undo has not been handled.
  const findStatement = toStatement<StoredMerge>(`
    select clinic_id, merge_id, kept_id, merged_id from (
      select * from ${table} where clinic_id = $1 and $2 in (kept_id, merged_id) order by merge_id desc limit 1
    ) last where merged_id = $2 and not undone`);
  const setUndoneStatement = toStatement<MergeRow>(`
    update ${table} set undone = true where clinic_id = $1 and merge_id = $2 and not undone
    returning clinic_id, merge_id, kept_id, merged_id, ${columns.join(', ')}`);
  const addStatement = toStatement(`
    update ${table} set ${ofEach((column, ids) => `${column} = ${column} || ${ids}`).join(', ')} where clinic_id = $1 and merge_id = $2`);
  const removeStatement = toStatement(`
    update ${table} set ${ofEach((column, ids) => `${column} = array(select unnest(${column}) except select unnest(${ids}))`).join(', ')}
    where clinic_id = $1 and merge_id > $2 and not undone and (${ofEach((column, ids) => `${column} && ${ids}`).join(' or ')})`);

  /** The id of the patient who remains after merges, as far as their events have been handled; the same id for others. */
  async function remainingId(db: Db, clinicId: string, patientId: string): Promise<string> {
    const [merge] = await readTenant(db, clinicId, findStatement, [clinicId, patientId]);
    return merge ? remainingId(db, clinicId, merge.kept_id) : patientId;
  }

  return {
    /** Serializes the merges of a clinic and their undos. */
    lockMerges: (tx: SystemTx, clinicId: string) => execute(tx, lockStatement, [clinicId]),

    /** False when the merge is already stored, as done or as undone. */
    insertMerge: async (tx: SystemTx, { clinic_id, merge_id, kept_id, merged_id }: StoredMerge, undone: boolean) =>
      (await execute(tx, insertStatement, [clinic_id, merge_id, kept_id, merged_id, undone])) === 1,

    /** The merge of this patient into another one; undefined for a patient who is not merged. */
    findMergeOf: (tx: SystemTx, clinicId: string, patientId: string) => row(tx, findStatement, [clinicId, patientId]),

    remainingId,

    /** Undefined when the merge was already undone. */
    setUndone: (tx: SystemTx, { clinic_id, merge_id }: StoredMerge) => row(tx, setUndoneStatement, [clinic_id, merge_id]),

    addMoved: (tx: SystemTx, merge: StoredMerge, moved: Moved) => execute(tx, addStatement, movedValues(merge, moved)),

    /** Removes records from what the merges after this one have moved. */
    removeMoved: (tx: SystemTx, merge: StoredMerge, moved: Moved) => execute(tx, removeStatement, movedValues(merge, moved)),
  };
}
