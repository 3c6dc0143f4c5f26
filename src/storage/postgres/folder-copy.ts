// The state of the copy of a data folder into a database.
import { OperatorError } from '../../canonical/operator-error.ts'
import { DATABASE_NOW } from './ledger/epochs.ts'
import type { PostgresQueries } from './open-postgres.ts'

export interface FolderCopy {
  /** An ID of the installation whose data folder is copied. */
  readonly installation: string
  readonly isFinished: boolean
  /** The ID, in the data folder, of the last request that was copied. */
  readonly lastRequest: number
}

/** Undefined where no data folder was ever copied. */
export async function readFolderCopy(queries: PostgresQueries): Promise<FolderCopy | undefined> {
  const { rows } = await queries.query('select installation, finished_at_ms, last_request from folder_copy')
  const [row] = rows
  if (row === undefined) return undefined
  return {
    installation: String(row['installation']),
    isFinished: row['finished_at_ms'] !== null,
    lastRequest: Number(row['last_request']),
  }
}

/** Refuses a database into which a data folder is being copied, until the copy is complete and verified. */
export async function requireWholeCopy(queries: PostgresQueries, name: string): Promise<void> {
  const copy = await readFolderCopy(queries)
  if (copy === undefined || copy.isFinished) return
  throw new OperatorError(
    'migration_unfinished',
    `the database ${name} holds a part of a data folder: "headgate migrate" has not verified all of it yet`,
  )
}

/** Tables that have a row once a node has served from the database, or part of a folder was copied. */
const witnessTables = [
  'keys',
  'users',
  'data_keys',
  'config_versions',
  'audit',
  'credit_grants',
  'ledger_rows',
  'requests',
  'stored_responses',
  'budget_windows',
  'usage_sums',
  'nodes',
]

/** Marks the database as the copy of this installation. Refuses a database that holds anything else. */
export async function claimDatabase(
  queries: PostgresQueries,
  { installation, name }: { readonly installation: string; readonly name: string },
): Promise<FolderCopy> {
  const copy = await requireClaimable(queries, { installation, name })
  if (copy !== undefined) return copy
  await queries.query(`insert into folder_copy (installation, started_at_ms) values ($1, ${DATABASE_NOW})`, [
    installation,
  ])
  return { installation, isFinished: false, lastRequest: 0 }
}

/** The unfinished copy of this installation; undefined where the database is empty. */
export async function requireClaimable(
  queries: PostgresQueries,
  { installation, name }: { readonly installation: string; readonly name: string },
): Promise<FolderCopy | undefined> {
  const copy = await readFolderCopy(queries)
  if (copy === undefined) {
    const held = await findHeld(queries)
    if (held === undefined) return undefined
    throw new OperatorError(
      'database_not_empty',
      `the database ${name} holds an installation already: its table ${held} has rows`,
    )
  }
  if (copy.installation !== installation)
    throw new OperatorError(
      'database_not_empty',
      `the database ${name} holds the copy of another data folder, whose pepper is not this one's`,
    )
  if (copy.isFinished)
    throw new OperatorError(
      'database_not_empty',
      `the database ${name} holds this data folder already, whole and verified, and may have been used since`,
      { advice: 'start nodes on it; to copy again, name an empty database, or another schema with --schema' },
    )
  return copy
}

async function findHeld(queries: PostgresQueries): Promise<string | undefined> {
  for (const table of witnessTables) {
    const { count } = await queries.query(`select 1 from ${table} limit 1`)
    if (count > 0) return table
  }
  return undefined
}

export async function finishFolderCopy(queries: PostgresQueries): Promise<void> {
  await queries.query(`update folder_copy set finished_at_ms = ${DATABASE_NOW}`)
}
