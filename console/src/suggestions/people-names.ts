import { useQuery } from '@tanstack/react-query'
import { groupListSchema } from '../../../src/admin/groups/group-contract.ts'
import { userListSchema } from '../../../src/admin/people/people-contract.ts'
import { callApi } from '../api/call-api.ts'
import { useMe, usePermissions } from '../shell/use-me.ts'

const none: readonly string[] = []
const MAX_SUGGESTIONS = 200

/** The groups that the user may choose: all of them, or the user's own. */
export function useGroupNames(): readonly string[] {
  return useGroupChoice().names
}

interface GroupChoice {
  readonly names: readonly string[]
  /** Whether there are no other groups. A user has to type the name of a group beyond the suggestions. */
  readonly isComplete: boolean
}

export function useGroupChoice(): GroupChoice {
  const { groups } = useMe()
  const { seesAll } = usePermissions()
  const all = useQuery({
    queryKey: ['groups', 'names'],
    queryFn: ({ signal }) =>
      callApi({ path: '/groups', query: { limit: MAX_SUGGESTIONS }, answer: groupListSchema, signal }),
    select: ({ data, next_after: next }) => ({
      names: data.map(({ name }) => name),
      isComplete: next === null,
    }),
    enabled: seesAll,
  })
  if (!seesAll) return { names: groups.map(({ group }) => group), isComplete: true }
  // A list that cannot be read is not empty: the name of a group may be typed.
  return all.data ?? { names: none, isComplete: !all.isError }
}

export function useUserNames(): readonly string[] {
  const { seesAll } = usePermissions()
  const users = useQuery({
    queryKey: ['users', 'names'],
    queryFn: ({ signal }) =>
      callApi({ path: '/users', query: { limit: MAX_SUGGESTIONS }, answer: userListSchema, signal }),
    select: ({ data }) => data.map(({ name }) => name),
    enabled: seesAll,
  })
  return users.data ?? none
}
