import type { Key } from '../../access/key.ts'
import type { PeopleStores } from '../../access/people/user-store.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { RefusalFact } from '../../canonical/refusal.ts'
import type { GroupDependents } from '../config/config-operations.ts'

export interface GroupDependentOptions {
  readonly stores: Pick<PeopleStores, 'users'>
  /** All keys in memory. */
  readonly keys: () => readonly Key[]
}

/** The keys and the members of groups, for changes of the configuration that remove groups. */
export function createGroupDependents({ stores, keys }: GroupDependentOptions): GroupDependents {
  return {
    requireUnused(groups) {
      const live = keys().filter(({ revokedAtMs }) => revokedAtMs === undefined)
      const used = groups
        .map((name) => ({ name, count: live.filter(({ group }) => group === name).length }))
        .filter(({ count }) => count > 0)
      if (used.length > 0) throw inUse(used)
    },
    async forget(groups) {
      for (const name of groups) await stores.users.dropGroup(name)
    },
  }
}

interface UsedGroup {
  readonly name: string
  readonly count: number
}

function inUse(groups: readonly UsedGroup[]): GatewayError {
  const problems = groups.map(({ name, count }) => {
    const isOne = count === 1
    const keys = isOne ? 'a key that is' : `${count} keys that are`
    const advice = isOne ? 'Give it another group or revoke it' : 'Give them another group or revoke them'
    return {
      path: `groups.${name}`,
      message: `The group "${name}" has ${keys} not revoked. ${advice} first: "headgate keys list --group ${name}" lists ${isOne ? 'it' : 'them'}.`,
      fact: { code: 'group_has_keys', values: { name, count } } satisfies RefusalFact,
    }
  })
  const message = problems.map((problem) => problem.message).join(' ')
  return new GatewayError('group_in_use', { param: problems[0]?.path ?? '', message, problems })
}
