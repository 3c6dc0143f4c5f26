import { brand } from '../../../kit/brand.ts'
import type { Epoch } from '../../../metering/leases/epoch.ts'
import type { LedgerCheckpoint, LedgerIntent } from '../../../metering/ledger-row.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { storedJson, storedNumber, storedText } from './stored-text.ts'

/** An intent that a row has ended. */
export interface EndedIntent {
  readonly epoch: Epoch
  readonly held: readonly HeldPart[]
}

/** The amount that an intent holds in one window. */
export interface HeldPart {
  readonly counter: string
  readonly start: number
  readonly amount: number
}

/** Writes intents of attempts that have no row yet. */
export async function insertIntents(
  queries: PostgresQueries,
  intents: readonly LedgerIntent[],
  epoch: Epoch,
): Promise<void> {
  await queries.query(
    `insert into ledger_intents (id, epoch, intent, held)
     select id, $1, intent, held from unnest($2::text[], $3::text[], $4::jsonb[]) as t(id, intent, held)
     where not exists (select 1 from ledger_rows where ledger_rows.id = t.id)
     on conflict do nothing`,
    [
      epoch,
      intents.map(({ id }) => id),
      intents.map(({ userName: userId, ...intent }) => storedJson({ ...intent, userId })),
      intents.map(({ held }) =>
        JSON.stringify(
          held.map(({ counter, windowStartMs, amount }): HeldPart => {
            return { counter: storedText(counter), start: windowStartMs, amount: storedNumber(amount) }
          }),
        ),
      ),
    ],
  )
}

/** A probe needs as much room as a batch of many intents. Texts of this size stay in the table's own pages. */
const PROBE_ROWS = 32
const PROBE_CHARACTERS = 1_800

/**
 * Performs the writes that a batch of intents needs, and leaves nothing. It fails where the intents would fail, for
 * example on a full disk.
 */
export async function probeIntents(queries: PostgresQueries, epoch: Epoch): Promise<void> {
  const { rows } = await queries.query(
    `insert into ledger_intents (id, epoch, intent, held)
     select 'probe/' || $1::text || '/' || number, $1::bigint, repeat(' ', ${PROBE_CHARACTERS}), '[]'
     from generate_series(1, ${PROBE_ROWS}) as number returning id`,
    [epoch],
  )
  await queries.query('delete from ledger_intents where id = any($1)', [rows.map(({ id }) => id)])
}

/** Ends the intents of these attempts; returns the intents that existed. */
export async function endIntents(
  queries: PostgresQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EndedIntent>> {
  const { rows } = await queries.query(
    'delete from ledger_intents where id = any($1) returning id, epoch, held',
    [ids],
  )
  return new Map(
    rows.map(({ id, epoch, held }) => [
      String(id),
      { epoch: brand<Epoch>(Number(epoch)), held: readHeld(held) },
    ]),
  )
}

export async function writeCheckpoints(
  queries: PostgresQueries,
  checkpoints: readonly LedgerCheckpoint[],
): Promise<void> {
  await queries.query(
    `update ledger_intents as i set output_tokens = greatest(i.output_tokens, t.tokens)
     from unnest($1::text[], $2::bigint[]) as t(id, tokens) where i.id = t.id`,
    [checkpoints.map(({ id }) => id), checkpoints.map(({ outputTokens }) => storedNumber(outputTokens))],
  )
}

function readHeld(held: unknown): readonly HeldPart[] {
  if (!Array.isArray(held)) return []
  return held.map((part: Partial<Record<keyof HeldPart, unknown>>) => ({
    counter: String(part.counter),
    start: Number(part.start),
    amount: Number(part.amount),
  }))
}
