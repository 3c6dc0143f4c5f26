import type { Kysely, Transaction } from 'kysely'
import type { UserId } from '../../access/people/user.ts'
import type { GroupMembers, MembershipChange } from '../../access/people/user-store.ts'
import type { AuditRecord } from '../../canonical/audit.ts'
import { appendAudit } from '../audit-sql.ts'
import type { Tables } from '../tables.ts'
import { findPresentUsers } from './user-row.ts'

interface WrittenMembership {
  readonly id: UserId
  readonly change: MembershipChange
  readonly record: AuditRecord
}

export async function changeMembership(
  transaction: Transaction<Tables>,
  { id, change: { group, manager }, record }: WrittenMembership,
): Promise<boolean> {
  const user = await findPresentUsers(transaction).where('id', '=', id).executeTakeFirst()
  if (user === undefined) return false
  const membership = transaction
    .deleteFrom('user_groups')
    .where('user_id', '=', id)
    .where('group_name', '=', group)
  await membership.execute()
  if (manager !== undefined) {
    const row = { user_id: id, group_name: group, manager: manager ? 1 : 0 }
    await transaction.insertInto('user_groups').values(row).execute()
  }
  await appendAudit(transaction, record)
  return true
}

export async function dropGroup(database: Kysely<Tables>, group: string): Promise<void> {
  await database.deleteFrom('user_groups').where('group_name', '=', group).execute()
}

export async function countMembers(database: Kysely<Tables>): Promise<readonly GroupMembers[]> {
  const counts = await database
    .selectFrom('user_groups')
    .select(({ fn }) => ['group_name', fn.countAll<number>().as('members')])
    .groupBy('group_name')
    .execute()
  const managers = await database
    .selectFrom('user_groups')
    .innerJoin('users', 'users.id', 'user_groups.user_id')
    .select(['user_groups.group_name', 'users.name'])
    .where('user_groups.manager', '=', 1)
    .orderBy('users.folded_name')
    .execute()
  return counts.map(({ group_name: group, members }) => ({
    group,
    members: Number(members),
    managers: managers.filter(({ group_name }) => group_name === group).map(({ name }) => name),
  }))
}
