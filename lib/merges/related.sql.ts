// Statements about merges of records, of which each service stores its own table, with the columns of Merge (remaining-rules.ts).

/**
 * The beginning of a statement, with the table expression `related (id)`: the record $2 of the clinic $1, and all records that merges in `table` connect with
 * it. Others do not influence where these belong.
 */
export const withRelated = (table: string) => `
  with recursive related (id) as (
    select $2::uuid
    union
    select other.id from related cross join lateral (
      select merged_id as id from ${table} where clinic_id = $1 and kept_id = related.id
      union all
      select kept_id from ${table} where clinic_id = $1 and merged_id = related.id
    ) other
  )`;
