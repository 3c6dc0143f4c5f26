import type { PeopleStores } from '../../access/people/user-store.ts'
import type { OpenedKeyStore } from '../open-key-store.ts'
import type { ChangeTopic } from '../postgres/change-feed.ts'

export type Announce = (topic: ChangeTopic) => Promise<void>

/**
 * The stores of a process that owns the files. Each store notifies all other processes of a change before it answers,
 * so that an operator's change is in force everywhere once the operator has the answer.
 */
export function announceChanges(stores: OpenedKeyStore, announce: Announce): OpenedKeyStore {
  const { store, configVersions, credits, people } = stores
  const after = announceAfter(announce)
  return {
    ...stores,
    store: {
      ...store,
      insert: after('keys', store.insert),
      revoke: after('keys', store.revoke),
      change: after('keys', store.change),
      rotate: after('keys', store.rotate),
      replaceBootstrap: after('keys', store.replaceBootstrap),
    },
    configVersions: { ...configVersions, append: after('config_versions', configVersions.append) },
    credits: {
      ...credits,
      addGrant: after('credit_grants', credits.addGrant),
      redeem: after('credit_grants', credits.redeem),
      addChanges: after('budget_changes', credits.addChanges),
      addResets: after('budget_changes', credits.addResets),
    },
    people: announceUsers(people, after),
  }
}

type After = ReturnType<typeof announceAfter>

function announceAfter(announce: Announce) {
  return <Args extends readonly unknown[], Result>(
    topic: ChangeTopic,
    write: (...args: Args) => Promise<Result>,
  ) =>
    async (...args: Args): Promise<Result> => {
      const result = await write(...args)
      await announce(topic)
      return result
    }
}

/** Announces a change of keys as well, since deleting a user deletes the user's keys. */
function announceUsers(people: PeopleStores, after: After): PeopleStores {
  const { users } = people
  return {
    ...people,
    users: { ...users, change: after('keys', users.change), delete: after('keys', users.delete) },
  }
}
