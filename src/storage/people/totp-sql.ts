import type { Kysely, Transaction } from 'kysely'
import type { UserId, UserTotp } from '../../access/people/user.ts'
import type { TotpChange } from '../../access/people/user-store.ts'
import { appendAudit } from '../audit-sql.ts'
import type { Tables } from '../tables.ts'
import { writeTotp } from './user-row.ts'

interface WrittenTotp extends TotpChange {
  readonly id: UserId
  readonly totp: UserTotp | undefined
}

export async function changeTotp(
  transaction: Transaction<Tables>,
  { id, totp, recoveryDigests, record }: WrittenTotp,
): Promise<void> {
  await transaction.updateTable('users').set(writeTotp(totp)).where('id', '=', id).execute()
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', id).execute()
  const rows = recoveryDigests.map((digest) => ({ user_id: id, digest }))
  if (rows.length > 0) await transaction.insertInto('recovery_codes').values(rows).execute()
  if (record !== undefined) await appendAudit(transaction, record)
}

/** Uses a code once. A single statement, so that of two concurrent requests with the same code only one succeeds. */
export async function useTotpStep(database: Kysely<Tables>, id: UserId, step: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('users')
    .set({ totp_step: step })
    .where('id', '=', id)
    .where('totp_step', '<', step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function useRecoveryCode(
  database: Kysely<Tables>,
  id: UserId,
  digest: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('recovery_codes')
    .where('user_id', '=', id)
    .where('digest', '=', digest)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
